/** The icon of the site: an M on green, 32 by 32. */
const base64 =
  "AAABAAEAICAAAAEAIACkAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAGtJREFUeNpjYEADUnlR/2mJGfABWluO1xH0shyrI+htOYojBspyuCOwCSIDSgwnxpxRBxB0AKmOIVXvqANISgPUEh91AFWyIbXUjDpgtCgedcCoA0YdMDgdMOCt4hHTNxg8XbNB0TkdqO45AIyDoVo77vXYAAAAAElFTkSuQmCC"

export const favicon = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
