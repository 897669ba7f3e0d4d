package hookrunner

import "pathrule/host"

// decode reads the payload in the words of the host that sent it, which is not
// always the one whose file the hook stands in, and sets r.host to that.
func (r *runner) decode() (ev host.Event, err error) {
	r.host = host.Sender(r.registered, r.payload, r.env)
	if n, ok := r.host.(host.Named); ok && r.opts.Event != "" && r.host.ID() == r.registered.ID() {
		ev, err = n.DecodeNamed(r.opts.Event, r.payload, r.env)
	} else {
		ev, err = r.host.Decode(r.payload, r.env)
	}
	r.shared = err == nil && host.Shared(r.registered, r.host, ev, r.env)
	return ev, err
}
