// Command pathrule is the whole tool: it writes knowledge, wires clients,
// serves MCP and answers hooks.
package main

func main() {}
