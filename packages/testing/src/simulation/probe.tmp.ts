import { scriptLife } from "/tmp/w-sim/packages/testing/src/simulation/Life.ts"
const n = Number(process.argv[2] ?? 300), from = Number(process.argv[3] ?? 1)
const seconds = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6 }
const t0 = seconds()
let syncs = 0, runs = 0, broken = 0
const by = new Map<string, number>(); const why = new Map<string, number>()
for (let s = from; s < from + n; s++) {
  const r = scriptLife(s)
  syncs += r.syncs; runs += r.runs
  for (const [k, v] of r.happened) by.set(k, (by.get(k) ?? 0) + v)
  if (r.broken) { broken++; why.set(r.broken.invariant, (why.get(r.broken.invariant) ?? 0) + 1); if (broken <= Number(process.argv[4] ?? 3)) console.log(s, r.broken.message.slice(0, 1800)) }
}
const t = seconds() - t0
console.log({ lives: n, syncs, runs, broken, t, msPerSync: t * 1000 / syncs, why, by: [...by].sort() })
