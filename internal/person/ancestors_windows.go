package person

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ancestors are the programs of the processes above this one, nearest first;
// the system does not hand out their arguments.
func ancestors() [][]string {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(snap)
	type proc struct {
		parent uint32
		name   string
	}
	all := map[uint32]proc{}
	e := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snap, &e); err == nil; err = windows.Process32Next(snap, &e) {
		all[e.ProcessID] = proc{e.ParentProcessID, windows.UTF16ToString(e.ExeFile[:])}
	}
	var out [][]string
	pid := uint32(os.Getppid())
	for range 32 {
		p, ok := all[pid]
		if !ok || p.parent == pid {
			break
		}
		out = append(out, []string{p.name})
		pid = p.parent
	}
	return out
}
