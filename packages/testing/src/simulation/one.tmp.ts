import { scriptLife } from "./Life.ts"
const r = scriptLife(Number(process.argv[2]))
console.log(r.story.join("\n"), r.broken?.message.slice(0,1500), r.virtualSeconds / 86400, r.runs)
