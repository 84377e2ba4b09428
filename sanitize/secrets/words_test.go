package secrets

import "testing"

func TestNaturalness(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"authentication", "token-bucket-limiter", "KeycloakAuthenticationProviderFactory", "database_password", "2024-11-05",
		"internationalization", "settings.default_region", "",
	} {
		if got := naturalness(words); got < wordy {
			t.Errorf("naturalness(%q) = %.2f, want at least %.2f", words, got, wordy)
		}
	}
	g := newGenerator(1)
	for _, tt := range []struct {
		class         string
		length, wrong int // of 1000 random values that may pass for words
	}{{"b", 12, 15}, {"b", 20, 2}, {"h", 32, 2}, {"l", 20, 2}, {"L", 20, 15}, {"p", 16, 15}} {
		wrong := 0
		for range 1000 {
			if naturalness(g.random(tt.class, tt.length)) >= wordy {
				wrong++
			}
		}
		if wrong > tt.wrong {
			t.Errorf("%d of 1000 random values of class %s and length %d pass for words", wrong, tt.class, tt.length)
		}
	}
}
