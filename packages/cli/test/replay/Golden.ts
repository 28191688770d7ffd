/** Compares with the file of that name beside the tests; `vitest -u` writes it. */
import { join } from "node:path"
import { expect } from "vitest"

export const expectGolden = async (name: string, text: string): Promise<void> => {
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", name))
}
