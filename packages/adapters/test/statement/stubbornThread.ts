/** The thread that reads files, with files in it that end or hold the thread by their name. */
import { parentPort } from "node:worker_threads"

const act = (fileName: string | undefined): void => {
  switch (fileName) {
    case "endless":
      for (;;);
    case "deadly":
      return process.exit(3)
    case "throwing":
      throw new Error("thrown in the thread")
    case "hungry": {
      const all: Array<unknown> = []
      for (;;) all.push({ text: `${all.length}` })
    }
  }
}

if (parentPort !== null) {
  const on = parentPort.on.bind(parentPort)
  parentPort.on = ((event: "message", listener: (value: { options?: { fileName: string } }) => void) =>
    on(event, (value) => {
      act(value.options?.fileName)
      listener(value)
    })) as typeof parentPort.on
}

await import("../../src/statement/thread/ReadingThread.ts")
