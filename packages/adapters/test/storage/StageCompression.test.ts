import { expect, it } from "vitest"
import { compressions } from "../../src/storage/postgres/PostgresStageStore.ts"

it("what is put aside comes back as it was, however it was made small", async () => {
  const text = Array.from({ length: 3_000 }, (_, n) => `CAFÉ LÜTZOW ${n}\u001d-${n}.50\u001d🏦`).join("\u001e")
  expect(compressions.length).toBeGreaterThan(0)
  for (const { compress, expand } of compressions) {
    for (const one of [text, "", "a"]) {
      const bytes = await compress(one)
      expect(expand(bytes).toString()).toBe(one)
      if (one === text) expect(bytes.length).toBeLessThan(text.length / 5)
    }
  }
})
