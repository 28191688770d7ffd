/** What keeps people from reading or using the page that is shown, in words. It runs in the page itself. */
/* oxlint-disable unicorn/consistent-function-scoping -- a script of a page names nothing outside of itself */
;(() => {
  const faults = []
  const shown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.push(`it is ${scrollWidth - clientWidth} px too wide`)
  if (document.documentElement.lang === "") faults.push("it does not say its language")
  if (document.querySelectorAll("h1").length !== 1) faults.push("it has not one heading")
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (shown(field) && (field.labels?.length ?? 0) === 0) faults.push(`${field.id || field.name} has no label`)
  }
  for (const one of document.querySelectorAll("a, button")) {
    if (shown(one) && one.innerText.trim() === "") faults.push(`${one.outerHTML} has no text`)
    const { height } = one.getBoundingClientRect()
    if (shown(one) && one.matches("button, .button") && height < 44)
      faults.push(`${one.innerText} is ${height} px high`)
  }
  for (const frame of document.querySelectorAll("iframe")) if (frame.title === "") faults.push("a frame has no title")
  const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const mixed = (top, below) => {
    const [, , , alpha = 1] = top
    return below.map((value, at) => top[at] * alpha + value * (1 - alpha))
  }
  const light = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches
  // Chromium's canvas of a page that takes both.
  const canvas = isDark ? [18, 18, 18] : [255, 255, 255]
  const groundOf = (one) =>
    one === null ? canvas : mixed(numbers(getComputedStyle(one).backgroundColor), groundOf(one.parentElement))
  for (const one of document.querySelectorAll("main *")) {
    const hasText = [...one.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== ""
    )
    if (!hasText || !shown(one) || one.tagName === "OPTION" || one.tagName === "NOSCRIPT") continue
    const ground = groundOf(one)
    const { color, opacity } = getComputedStyle(one)
    const [a, b] = [light(mixed([...numbers(color).slice(0, 3), Number(opacity)], ground)), light(ground)]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) faults.push(`"${one.innerText.slice(0, 40)}" has a contrast of ${contrast.toFixed(2)}`)
  }
  return faults
})()
