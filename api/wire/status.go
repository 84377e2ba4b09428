package wire

import (
	"net/http"

	"github.com/teammem/teammem/memory"
)

type codeStatus struct {
	code   memory.Code
	status int
}

// codes is the table of PROTOCOL section 6. The first code with a status is
// the one that [CodeOf] returns for it.
func codes() []codeStatus {
	return []codeStatus{
		{memory.CodeInvalid, http.StatusBadRequest},
		{memory.CodeUnauthenticated, http.StatusUnauthorized},
		{memory.CodeForbidden, http.StatusForbidden},
		{memory.CodeNotFound, http.StatusNotFound},
		{memory.CodeConflict, http.StatusConflict},
		{memory.CodeChanged, http.StatusConflict},
		{memory.CodeEpochChanged, http.StatusConflict},
		{memory.CodeCursorAhead, http.StatusConflict},
		{memory.CodeHistoryForked, http.StatusConflict},
		{memory.CodeDeleteGuard, http.StatusConflict},
		{memory.CodeCursorTooOld, http.StatusGone},
		{memory.CodeTooLarge, http.StatusRequestEntityTooLarge},
		{memory.CodeUnsupportedMedia, http.StatusUnsupportedMediaType},
		{memory.CodePathRejected, http.StatusUnprocessableEntity},
		{memory.CodeSecretFound, http.StatusUnprocessableEntity},
		{memory.CodeTextRejected, http.StatusUnprocessableEntity},
		{memory.CodeSuspectEmpty, http.StatusUnprocessableEntity},
		{memory.CodeScanTimeout, http.StatusUnprocessableEntity},
		{memory.CodeQuota, http.StatusUnprocessableEntity},
		{memory.CodeUpgradeRequired, http.StatusUpgradeRequired},
		{memory.CodeRateLimited, http.StatusTooManyRequests},
		{memory.CodeInternal, http.StatusInternalServerError},
		{memory.CodeUnavailable, http.StatusServiceUnavailable},
	}
}

// Status returns the HTTP status of a code; 500 for a code that is not of the
// protocol.
func Status(code memory.Code) int {
	for _, row := range codes() {
		if row.code == code {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// CodeOf is the inverse of [Status], for answers that carry no problem or a
// code that this program does not know: whatever stands between client and
// server may answer too.
func CodeOf(status int) memory.Code {
	for _, row := range codes() {
		if row.status == status {
			return row.code
		}
	}
	switch {
	case status == http.StatusRequestTimeout, status > http.StatusInternalServerError:
		return memory.CodeUnavailable
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return memory.CodeInvalid
	}
	return memory.CodeInternal
}

// known returns the code itself if it is of the protocol.
func known(code memory.Code) (memory.Code, bool) {
	for _, row := range codes() {
		if row.code == code {
			return code, true
		}
	}
	return "", false
}
