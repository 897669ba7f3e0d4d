//go:build unix

package core

import "golang.org/x/sys/unix"

// statRoot stats files below one folder without walking to that folder each
// time: a prompt compares thousands of them.
type statRoot struct{ fd int }

func openStatRoot(dir string) (statRoot, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return statRoot{fd}, err
}

func (r statRoot) close() { unix.Close(r.fd) }

// stat follows links; rel is a slash path, "" is the folder itself.
func (r statRoot) stat(rel string) (fileStat, error) {
	if rel == "" {
		rel = "."
	}
	var st unix.Stat_t
	for {
		err := unix.Fstatat(r.fd, rel, &st, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fileStat{}, err
		}
		return fileStat{
			size: st.Size, mtime: unix.TimespecToNsec(st.Mtim), inode: uint64(st.Ino) & (1<<63 - 1),
			dir: st.Mode&unix.S_IFMT == unix.S_IFDIR, plain: st.Mode&unix.S_IFMT == unix.S_IFREG,
		}, nil
	}
}
