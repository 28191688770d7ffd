/** How the person calls this program, so that what we propose can be copied: by `npx`, unless it is in their PATH. */
export const program = process.env["npm_command"] === "exec" ? "npx millrace" : "millrace"

/** The text of a command line that begins with, or holds, `millrace`. */
export const asCalled = (command: string): string => command.replace(/(?<![\w/])millrace(?= )/g, program)
