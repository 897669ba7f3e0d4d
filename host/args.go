package host

import (
	"strings"

	"pathrule/internal/rawjson"
)

// argTouches are the path-like arguments of a tool we know nothing about: text
// under a name that speaks of a path. Only those that exist will count.
func argTouches(in rawjson.Value) []Touch { return argTouchesAt(nil, in, 3) }

func argTouchesAt(list []Touch, in rawjson.Value, depth int) []Touch {
	if depth == 0 {
		return list
	}
	for name, v := range in.Members {
		switch v.Kind() {
		case '"':
			if pathLike(name) {
				list = addTouch(list, argPath(v), Arg)
			}
		case '[':
			for e := range v.Elements {
				switch e.Kind() {
				case '"':
					if pathLike(name) {
						list = addTouch(list, argPath(e), Arg)
					}
				case '{':
					list = argTouchesAt(list, e, depth-1)
				}
			}
		case '{':
			list = argTouchesAt(list, v, depth-1)
		}
	}
	return list
}

// pathLike: filePath, absolute_path, target-file, paths, uri, folder, ...
func pathLike(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), "s")
	for _, end := range [...]string{"path", "file", "filename", "uri", "dir", "directory", "folder"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return name == "directorie" || name == "cwd"
}

// argPath is a one-line text that can be a path, "" for others.
func argPath(v rawjson.Value) string {
	s := v.Text()
	if rest, ok := strings.CutPrefix(s, "file://"); ok {
		s = rest
	} else if strings.Contains(s, "://") {
		return ""
	}
	if len(s) > 1024 || strings.ContainsAny(s, "\n\r\x00") {
		return ""
	}
	return s
}
