// Written by "pathrule setup"; "pathrule unsetup" removes it. Edits are lost.
//
// OpenCode has no command hooks. This plugin hands its events to pathrule, which
// decides what is told, and puts the answer where the model sees it: behind the
// prompt, behind a tool's output, and in one block at the end of the system
// prompt, whose bytes change only when that part of the knowledge changed.
// Nothing here throws, except a refusal that a person approved, and nothing
// waits longer than the times below. Without pathrule on this machine it is
// silent.
import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"

const command = ["pathrule-hook", "--host", "opencode"]

// What an event may take is kept by pathrule itself, which ends in a fraction of a
// second; only a person's own hooks may take longer, eight seconds together. This
// is for a program that hangs.
const answerTime = 10000 // ms, as all times here
const lookupTime = 300
const maxAnswer = 1 << 20
const maxSessions = 500

// Tools that name no file.
const wordless = new Set(["task", "skill", "todowrite", "todoread", "webfetch", "websearch", "question", "invalid"])

// One process may serve several folders, a folder's plugins are loaded again
// when its configuration changes, and both scopes may have this file. So the
// last one loaded for a folder answers for it, and all share what they know of
// the sessions.
const shared = (globalThis[Symbol.for("pathrule.opencode")] ??= { active: new Map(), sessions: new Map() })

// environment adds the folder with setup's links to PATH, behind all others: a
// desktop program may have a short one.
function environment() {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH"
  const links = join(process.env.PATHRULE_HOME || join(homedir(), ".pathrule"), "bin")
  return { ...process.env, [name]: [process.env[name], links].filter(Boolean).join(delimiter) }
}

// ask runs pathrule with an event on its stdin and gives its answer, undefined
// for none. It never rejects.
function ask(event, limit) {
  return new Promise((resolve) => {
    let child
    let out = ""
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => {
      try {
        child?.kill("SIGKILL")
      } catch {}
      end()
    }, limit)
    try {
      child = spawn(command[0], command.slice(1), { cwd: event.directory, env: environment(), stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      child.on("error", () => end())
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => {
        if (out.length <= maxAnswer) out += text
      })
      child.on("close", (code) => {
        if (code !== 0 || out === "" || out.length > maxAnswer) return end()
        try {
          const answer = JSON.parse(out)
          end(answer && typeof answer === "object" ? answer : undefined)
        } catch {
          end()
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      end()
    }
  })
}

function within(promise, limit) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, limit)))
  return Promise.race([Promise.resolve(promise).catch(() => {}), late]).finally(() => clearTimeout(timer))
}

// known is what is remembered of a session: parent ("" for none, undefined for
// not known yet), slot {id, text} or undefined, guard.
function known(id) {
  let session = shared.sessions.get(id)
  if (!session) {
    session = {}
    shared.sessions.set(id, session)
    if (shared.sessions.size > maxSessions) shared.sessions.delete(shared.sessions.keys().next().value)
  }
  return session
}

export const Pathrule = async (context) => {
  const directory = context?.directory || process.cwd()
  const me = {}
  shared.active.set(directory, me)

  // line gives a session and its parents, itself first. A session that began
  // before this process did is looked up.
  const line = async (id) => {
    const ids = [id]
    while (ids.length < 8) {
      const at = ids[ids.length - 1]
      const session = known(at)
      if (session.parent === undefined) {
        session.parent = ""
        const found = await within(context?.client?.session?.get?.({ path: { id: at } }), lookupTime)
        if (typeof found?.data?.parentID === "string") session.parent = found.data.parentID
      }
      if (!session.parent || ids.includes(session.parent)) break
      ids.push(session.parent)
    }
    return ids
  }

  // about is the part of an event that says whose it is.
  const about = async (id) => {
    const ids = await line(id)
    return ids.length > 1 ? { sessionID: id, rootID: ids[ids.length - 1] } : { sessionID: id }
  }

  // quietly keeps every fault of ours from OpenCode.
  const quietly = (work) => async (input, output) => {
    if (shared.active.get(directory) !== me) return
    try {
      await work(input ?? {}, output ?? {})
    } catch {}
  }

  const tell = (text) => {
    if (typeof text !== "string" || text === "") return
    Promise.resolve()
      .then(() => context?.client?.tui?.showToast?.({ body: { message: text, variant: "info" } }))
      .catch(() => {})
  }

  return {
    event: quietly(({ event }) => {
      const info = event?.properties?.info
      if (event?.type === "session.created" && info?.id) known(info.id).parent = info.parentID ?? ""
      if (event?.type === "session.deleted") shared.sessions.delete(info?.id ?? event.properties?.sessionID)
    }),

    "chat.message": quietly(async (input, output) => {
      const { message, parts } = output
      if (!input.sessionID || !message?.id || !Array.isArray(parts)) return
      const session = known(input.sessionID)
      const typed = parts.filter((part) => part?.type === "text" && !part.synthetic && !part.ignored)
      const event = {
        hook: "chat.message",
        directory,
        input: { ...(await about(input.sessionID)), agent: input.agent ?? message.agent, messageID: message.id },
        output: { parts: typed.map((part) => ({ type: "text", text: part.text })) },
        slot: session.slot?.id ?? "",
      }
      const answer = await ask(event, answerTime)
      if (!answer) return
      session.guard = answer.guard === true
      const { slot } = answer
      if (slot?.action === "replace" && typeof slot.text === "string") session.slot = { id: slot.id, text: slot.text }
      if (slot?.action === "clear") session.slot = undefined
      tell(answer.notice)
      if (typeof answer.context !== "string" || answer.context === "") return
      // Parts are shown in the order of their ids: behind the last one.
      const last = parts.reduce((id, part) => (typeof part?.id === "string" && part.id > id ? part.id : id), "prt_0")
      parts.push({ id: last + "z", sessionID: input.sessionID, messageID: message.id, type: "text", text: answer.context, synthetic: true })
    }),

    // The slot goes into the last block there is, since a further system message
    // breaks some model servers.
    "experimental.chat.system.transform": quietly(({ sessionID }, { system }) => {
      const text = sessionID && shared.sessions.get(sessionID)?.slot?.text
      if (!text || !Array.isArray(system)) return
      // The request that makes a session's title has no use for it.
      if (system.some((block) => typeof block === "string" && block.startsWith("You are a title generator"))) return
      const last = system.length - 1
      if (last >= 0 && typeof system[last] === "string" && system[last] !== "") system[last] += "\n\n" + text
      else system.push(text)
    }),

    "tool.execute.before": async (input, output) => {
      let refusal
      await quietly(async () => {
        const session = input?.sessionID ? known(input.sessionID) : undefined
        if (!session || wordless.has(input.tool)) return
        const ids = await line(input.sessionID)
        if (!ids.some((id) => known(id).guard)) return
        const event = {
          hook: "tool.execute.before",
          directory,
          input: { ...(await about(input.sessionID)), tool: input.tool, callID: input.callID },
          output: { args: output?.args },
        }
        refusal = (await ask(event, answerTime))?.refuse
      })(input, output)
      if (typeof refusal === "string" && refusal !== "") throw new Error(refusal)
    },

    "tool.execute.after": quietly(async (input, output) => {
      // A server's tool has a list here and no text to append to.
      const list = typeof output.output === "string" ? undefined : output.content
      if (!input.sessionID || (typeof output.output !== "string" && !Array.isArray(list))) return
      if (wordless.has(input.tool) || String(input.tool).startsWith("pathrule_")) return
      const event = {
        hook: "tool.execute.after",
        directory,
        input: { ...(await about(input.sessionID)), tool: input.tool, callID: input.callID, args: input.args },
      }
      const answer = await ask(event, answerTime)
      if (typeof answer?.context !== "string" || answer.context === "") return
      if (list) list.push({ type: "text", text: answer.context })
      else output.output += "\n\n" + answer.context
    }),

    "experimental.session.compacting": quietly(async (input, output) => {
      if (!input.sessionID) return
      const event = { hook: "experimental.session.compacting", directory, input: await about(input.sessionID) }
      const answer = await ask(event, answerTime)
      if (typeof answer?.context === "string" && answer.context !== "" && Array.isArray(output.context)) output.context.push(answer.context)
    }),
  }
}
