package llm

import (
	"net/http"
	"time"
)

// Options is what a mapper is made with.
type Options struct {
	Key     string // "" where there is none; the mapper then says so, if its provider needs one
	KeyFrom string // where the key comes from, for sentences: "OPENAI_API_KEY"
	BaseURL string // "" for the provider's own
	// API chooses between several wires of one provider: "chat" or "responses" of OpenAI; "" leaves it to the mapper.
	API    string
	Client *http.Client     // nil for [NewClient] with three minutes
	Now    func() time.Time // nil for time.Now
}

// Silence is how long a provider may send nothing, if nobody says otherwise. Models that think may be quiet for
// minutes.
const Silence = 3 * time.Minute

// WithDefaults fills in what was left out.
func (o Options) WithDefaults(baseURL string) Options {
	if o.Client == nil {
		o.Client = NewClient(Silence)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.BaseURL == "" {
		o.BaseURL = baseURL
	}
	return o
}
