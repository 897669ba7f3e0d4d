package host

import (
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/sysenv"
)

// jsonFile is a JSON file below dir; it does not exist for an unknown dir.
func jsonFile(dir string, parts ...string) (ConfigFile, bool) {
	if dir == "" {
		return ConfigFile{}, false
	}
	return ConfigFile{Path: under(dir, parts...), Format: "json"}, true
}

// absVar is an environment variable that holds a folder; relative values do
// not count, since hook and setup run in different folders.
func absVar(env sysenv.Env, name string) string {
	if dir := env.Get(name); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return ""
}

// detect looks for a program on PATH, then for the client's folder.
func detect(env sysenv.Env, program, dir string) (string, bool) {
	if onPath(env, program) {
		return program + " on PATH", true
	}
	if st, err := os.Stat(dir); dir != "" && err == nil && st.IsDir() {
		return tilde(env, dir) + " exists", true
	}
	return "", false
}

// onPath is a look-up in the PATH of env, which may not be this process's own.
func onPath(env sysenv.Env, program string) bool {
	names := []string{program}
	if env.GOOS == "windows" {
		names = nil
		exts := env.Get("PATHEXT")
		if exts == "" {
			exts = ".COM;.EXE;.BAT;.CMD"
		}
		for _, e := range strings.Split(exts, ";") {
			names = append(names, program+strings.ToLower(e))
		}
	}
	for _, dir := range filepath.SplitList(env.Get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, n := range names {
			st, err := os.Stat(filepath.Join(dir, n))
			if err == nil && st.Mode().IsRegular() && (env.GOOS == "windows" || st.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}

// tilde shortens a folder below the home for people.
func tilde(env sysenv.Env, dir string) string {
	if rel, ok := strings.CutPrefix(dir, env.UserHome+string(filepath.Separator)); ok && env.UserHome != "" {
		return "~/" + filepath.ToSlash(rel)
	}
	return dir
}
