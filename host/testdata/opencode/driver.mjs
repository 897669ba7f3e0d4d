// Calls the plugin's functions as OpenCode does. On stdin: the plugin's
// address, the folder, each session's parent as the client would tell it, and
// the calls. On stdout: what each call did to its output, or threw.
import { readFileSync } from "node:fs"

const { plugin, directory, parents, slowClient, calls } = JSON.parse(readFileSync(0, "utf8"))
const module = await import(plugin)
const toasts = []
let lookups = 0
const context = {
  directory,
  client: {
    session: {
      get({ path }) {
        lookups++
        if (slowClient) return new Promise(() => setTimeout(() => {}, 10000).unref())
        return Promise.resolve({ data: path.id in parents ? { id: path.id, parentID: parents[path.id] } : undefined })
      },
    },
    tui: { showToast: ({ body }) => (toasts.push(body.message), Promise.reject(new Error("no screen"))) },
  },
}
const load = () => module.Pathrule(context)
const loaded = [await load()]
const results = []
for (const call of calls) {
  if (call.load) {
    loaded.push(await load())
    continue
  }
  let { input, output } = call
  let threw
  try {
    // output stays the caller's object: replacing it would do nothing.
    await loaded[loaded.length - 1 - (call.older ?? 0)][call.hook](input, output)
  } catch (e) {
    threw = String(e?.message ?? e)
  }
  results.push({ output, threw })
}
const exports = Object.fromEntries(Object.entries(module).map(([name, value]) => [name, typeof value]))
const hooks = Object.keys(loaded[0]).sort()
process.stdout.write(JSON.stringify({ results, toasts, lookups, exports, hooks }))
process.exit(0)
