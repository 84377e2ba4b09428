package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
)

const (
	maxPushOps   = 200
	maxPushBytes = 3 << 20 // of content as JSON; the server takes 4 MB in all
	pushGrace    = 2 * time.Second

	// maxFlights batches keep the server checking one while its database stores
	// another and the third is on the wire.
	maxFlights = 3
)

// push sends offers, and what a person said to the deletes in them.
func (c *cycle) push(ctx context.Context, offers []*offer, yes memory.Release) error {
	s := sender{cycle: c, yes: yes}
	defer s.abandon(ctx)
	for _, o := range offers {
		if err := s.add(ctx, o); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

// sender collects offers into batches that the server takes. While some are on
// their way the next is put together; verdicts are taken in one batch after the
// other. Whatever became of a batch whose answer was lost, the next cycle finds
// out.
type sender struct {
	*cycle

	batch []*offer
	bytes int // of the batch
	most  int // bytes that a proxy on the way takes; 0 for [maxPushBytes]

	flying    []flight
	published int // revisions by what has landed, since the cursor was moved

	only string         // the head's tag at which a batch holds; "" for any
	yes  memory.Release // what a person said to the deletes in it
	head memory.Head    // the newest head that an answer told
}

// flight is a batch on its way.
type flight struct {
	batch  []*offer
	answer chan answer
	cancel context.CancelFunc
}

type answer struct {
	receipt memory.Receipt
	err     error
}

// add puts an offer into the batch, and sends the batch first if it is full.
func (s *sender) add(ctx context.Context, o *offer) error {
	size := jsonSize(o.text)
	if len(s.batch) == maxPushOps || len(s.batch) > 0 && s.bytes+size > cmp.Or(s.most, maxPushBytes) {
		if err := s.send(ctx); err != nil {
			return err
		}
	}
	s.batch, s.bytes = append(s.batch, o), s.bytes+size
	return nil
}

// flush sends what is left, and waits for all verdicts.
func (s *sender) flush(ctx context.Context) error {
	if err := s.send(ctx); err != nil {
		return err
	}
	return cmp.Or(s.landAll(ctx, 0), ctx.Err())
}

// send packs the batch, and lets it go once few enough are on their way.
func (s *sender) send(ctx context.Context) error {
	if len(s.batch) == 0 {
		return nil
	}
	if err := s.maySend(ctx); err != nil {
		return err
	}
	batch := s.batch
	s.batch, s.bytes = nil, 0
	body, err := s.pack(batch)
	if err != nil {
		return err
	}
	if err := s.landAll(ctx, s.beside(batch)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return cmp.Or(s.landAll(ctx, 0), ctx.Err())
	}
	s.flying = append(s.flying, s.launch(ctx, batch, body))
	return nil
}

// beside is how many batches may be on their way when one is launched. Texts
// are judged each by itself, so the server may take their batches in any order.
// One move may need the name that another gives up, so moves and deletes have the
// way for themselves.
func (s *sender) beside(batch []*offer) int {
	alone := func(o *offer) bool { return o.write.Action != memory.ActionPut }
	if s.only != "" || slices.ContainsFunc(batch, alone) || len(s.flying) > 0 && slices.ContainsFunc(s.flying[0].batch, alone) {
		return 0
	}
	return maxFlights - 1
}

// pack makes a request of offers.
func (s *sender) pack(batch []*offer) (parcel, error) {
	writes := make([]memory.Write, len(batch))
	for i, o := range batch {
		writes[i] = o.write
	}
	return s.server.packPush(s.index.Cursor.Epoch, rand.Text(), writes, s.yes)
}

// launch lets offers go.
func (s *sender) launch(ctx context.Context, batch []*offer, body parcel) flight {
	s.note(batch)
	s.report.Requests++
	ctx, cancel := context.WithCancel(ctx)
	f := flight{batch, make(chan answer, 1), cancel}
	project, to, only := s.link.Project, s.server, s.only
	go func() {
		defer cancel()
		sending, done := patient(ctx)
		defer done()
		receipt, err := to.push(sending, project, only, body, len(batch))
		f.answer <- answer{receipt, err}
	}()
	return f
}

// patient returns a context that outlives ctx a little: when a cycle is
// cancelled, the answer to what is already on its way is waited for.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(pushGrace, stop)
		context.AfterFunc(sending, func() { timer.Stop() })
	})
	return sending, func() {
		release()
		stop()
	}
}

// landAll waits until only so many batches are on their way, and takes in the
// verdicts of the others. When none is left it moves the cursor over what they
// published.
func (s *sender) landAll(ctx context.Context, but int) error {
	for len(s.flying) > but {
		first := s.flying[0]
		s.flying = s.flying[1:]
		if err := s.land(ctx, first); err != nil {
			return err
		}
	}
	if len(s.flying) == 0 {
		s.follow(s.head, s.published)
		s.published = 0
	}
	return nil
}

// land waits for the answer to a batch and takes in the verdicts.
func (s *sender) land(ctx context.Context, f flight) error {
	a, batch := <-f.answer, f.batch
	if limit, ok := proxyLimit(a.err); ok {
		return s.shrink(ctx, batch, limit)
	}
	if a.err != nil {
		return a.err
	}
	return s.take(ctx, batch, a.receipt)
}

// take takes in the verdicts on a batch.
func (s *sender) take(ctx context.Context, batch []*offer, r memory.Receipt) error {
	if head := r.Head; head.Epoch != s.head.Epoch || head.Seq > s.head.Seq {
		s.head = head
	}
	if s.only != "" {
		s.only = s.head.Tag() // else what follows would not hold because of what went before
	}
	s.clocked(r.At)
	for i, v := range r.Verdicts {
		if v.Ruling == memory.RulingPublished {
			s.published++
		}
		batch[i].mine = origin{author: s.member}
		if at := r.At; at.After(never()) {
			batch[i].mine.at = at.UnixNano()
		}
		if err := s.settle(ctx, batch[i], v); err != nil {
			return err
		}
	}
	return nil
}

// proxyLimit returns the error if something between here and the server took
// the batch for too large.
func proxyLimit(err error) (*memory.Error, bool) {
	e, ok := errors.AsType[*memory.Error](err)
	return e, ok && e.Code == memory.CodeTooLarge && errors.Is(e, errForeign)
}

// shrink sends a batch in halves, and what follows in batches of half its size.
// An entry that does not pass even alone is refused by itself.
func (s *sender) shrink(ctx context.Context, batch []*offer, limit *memory.Error) error {
	if len(batch) == 1 {
		return s.settle(ctx, batch[0], memory.Verdict{Ruling: memory.RulingRefused, Problem: limit})
	}
	size := 0
	for _, o := range batch {
		size += jsonSize(o.text)
	}
	s.most = size / 2 // and no less: a half that has only short texts says nothing of the limit
	half := len(batch) / 2
	for _, part := range [][]*offer{batch[:half], batch[half:]} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		body, err := s.pack(part)
		if err != nil {
			return err
		}
		if err := s.land(ctx, s.launch(ctx, part, body)); err != nil {
			return err
		}
	}
	return nil
}

// abandon is for the batches that an error left on their way: they are given a
// moment, and what was judged by then is taken in. What became of the others the
// next run learns from the feed.
func (s *sender) abandon(ctx context.Context) {
	for _, f := range s.flying {
		f.cancel()
	}
	for _, f := range s.flying {
		if a := <-f.answer; a.err == nil {
			_ = s.take(ctx, f.batch, a.receipt) // the first error is what is reported
		}
	}
	s.flying = nil
}

// jsonSize bounds the length of a text as a JSON string.
func jsonSize(text []byte) int {
	n := len(text) + 400 // the op around it
	for _, b := range text {
		switch {
		case b >= ' ' && b != '"' && b != '\\': // nearly all
		case b >= ' ', b == '\n', b == '\r', b == '\t':
			n++
		default:
			n += 5
		}
	}
	return n
}

// follow moves the cursor over our own changes, if nobody else's lie between.
func (c *cycle) follow(head memory.Head, published int) {
	if head == (memory.Head{}) || head.Seq == c.index.Cursor.Seq {
		return
	}
	if head.Seq != c.index.Cursor.Seq+int64(published) || !c.agrees(head.Digest) {
		c.again = true
		return
	}
	c.index.vouch(head.Cursor(), head.Digest)
	c.state.dirty = true
}
