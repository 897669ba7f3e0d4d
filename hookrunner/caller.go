package hookrunner

import "pathrule/host"

// decode reads the payload in the host's own words.
func (r *runner) decode() (host.Event, error) {
	if n, ok := r.host.(host.Named); ok && r.opts.Event != "" {
		return n.DecodeNamed(r.opts.Event, r.payload, r.env)
	}
	return r.host.Decode(r.payload, r.env)
}
