package userhooks

// Starter is what "pathrule hooks init" writes: one hook that is switched off,
// so that the file does nothing until a person has looked at it.
const Starter = `{
  "version": 1,
  "enabled": true,
  "defaults": {
    "timeout": "5s",
    "on_error": "ignore",
    "max_output_bytes": 65536
  },
  "hooks": [
    {
      "name": "no edits of generated files",
      "event": "BeforeFileWrite",
      "matcher": "^(Edit|Write|MultiEdit|apply_patch)$",
      "conditions": { "paths": ["gen", "**/*.pb.go"] },
      "priority": 10,
      "enabled": false,
      "actions": [
        {
          "type": "command",
          "command": "echo '{\"decision\":\"deny\",\"reason\":\"This file is generated: change its source and run the generator.\"}'",
          "timeout": "2s",
          "on_error": "ignore"
        }
      ]
    }
  ]
}
`
