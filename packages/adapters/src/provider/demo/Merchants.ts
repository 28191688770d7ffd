/** Invented merchants and how their lines look on a statement. */
import type { Category } from "@millrace/core/record"
import type { Draws } from "./Seed.ts"

export interface Merchant {
  readonly name: string
  /** `#` becomes a digit, `?` a letter or digit, `@` a city. */
  readonly texts: readonly [string, ...ReadonlyArray<string>]
  readonly category: Category
  /** Range of an amount in cents. */
  readonly low: number
  readonly high: number
  readonly habit?: "tip" | "fuel" | "twice"
}

const cities = ["PORTLAND OR", "SEATTLE WA", "AUSTIN TX", "BOISE ID", "NEW YORK NY"] as const
const signs = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"

/** One line as the bank would print it. */
export const lineText = (merchant: Merchant, draw: Draws): string =>
  draw
    .pick(merchant.texts)
    .replace(/[#?@]/g, (mark) =>
      mark === "@"
        ? draw.pick(cities)
        : mark === "#"
          ? String(draw.between(0, 9))
          : (signs[draw.between(0, signs.length - 1)] ?? "0")
    )

type Merchants = readonly [Merchant, ...ReadonlyArray<Merchant>]

export const groceries: Merchants = [
  {
    name: "Harvest Lane Market",
    texts: ["HARVEST LANE MKT #1### @", "POS PURCHASE HARVEST LANE MKT #1###"],
    category: "FOOD_AND_DRINK",
    low: 18_40,
    high: 142_90
  },
  {
    name: "Green Basket",
    texts: ["GRNBASKET STORE 00## @", "SP GREEN BASKET ONLINE"],
    category: "FOOD_AND_DRINK",
    low: 9_15,
    high: 96_20
  },
  {
    name: "Bäckerei Müller & Söhne",
    texts: ["BÄCKEREI MÜLLER & SÖHNE – @"],
    category: "FOOD_AND_DRINK",
    low: 4_20,
    high: 21_80
  }
]

export const eatingOut: Merchants = [
  {
    name: "Blue Door Coffee",
    texts: ["SQ *BLUE DOOR COFFEE @", "SQ *BLUE DOOR COFF gosq.example"],
    category: "FOOD_AND_DRINK",
    low: 3_25,
    high: 14_10
  },
  {
    name: "Noodle House",
    texts: ["TST* NOODLE HOUSE 00## @"],
    category: "FOOD_AND_DRINK",
    low: 18_00,
    high: 74_00,
    habit: "tip"
  },
  { name: "Sushi Sakura", texts: ["寿司 さくら @"], category: "FOOD_AND_DRINK", low: 22_00, high: 88_00, habit: "tip" },
  { name: "Pizza Napoli", texts: ["🍕 PIZZA NAPOLI #######"], category: "FOOD_AND_DRINK", low: 11_50, high: 39_00 },
  {
    name: "Café Ærlig",
    texts: ["CAFÉ ÆRLIG KØBENHAVN DK"],
    category: "FOOD_AND_DRINK",
    low: 4_10,
    high: 18_90
  }
]

export const shopping: Merchants = [
  {
    name: "Everything Mart",
    texts: ["EVRYTHNG Mktp US*???????? evry.example/bill WA", "EVERYTHING MART #0### @"],
    category: "GENERAL_MERCHANDISE",
    low: 6_49,
    high: 189_99
  },
  {
    name: "Greenleaf Crafts",
    texts: ["PAYPAL *GREENLEAF 40293577## CA"],
    category: "GENERAL_MERCHANDISE",
    low: 12_00,
    high: 64_00
  },
  // Begins like a formula, as some real lines do: anyone who writes it into a sheet must not run it.
  {
    name: "Equals Clothing",
    texts: ["=EQUALS CLOTHING 00##"],
    category: "GENERAL_MERCHANDISE",
    low: 19_00,
    high: 120_00
  },
  {
    name: "Toolbox Depot",
    texts: ["TOOLBOX DEPOT 4### @"],
    category: "HOME_IMPROVEMENT",
    low: 8_30,
    high: 210_00
  },
  { name: "Corner Pharmacy", texts: ["CORNER PHCY #0#### @"], category: "MEDICAL", low: 4_99, high: 58_00 },
  {
    name: "Barber & Co",
    texts: ["SQ *BARBER & CO @"],
    category: "PERSONAL_CARE",
    low: 24_00,
    high: 40_00,
    habit: "tip"
  }
]

export const moving: Merchants = [
  {
    name: "Metro Transit",
    texts: ["METRO TRANSIT FARE @"],
    category: "TRANSPORTATION",
    low: 2_75,
    high: 2_75,
    habit: "twice"
  },
  {
    name: "Roadside Fuel",
    texts: ["ROADSIDE FUEL 00### PAY AT PUMP @"],
    category: "TRANSPORTATION",
    low: 28_10,
    high: 71_40,
    habit: "fuel"
  },
  {
    name: "Hopp Rides",
    texts: ["HOPP *TRIP HELP.HOPP.EXAMPLE CA"],
    category: "TRANSPORTATION",
    low: 7_80,
    high: 41_30
  },
  { name: "Cloud Nine Air", texts: ["CLOUDNINE AIR 00#########"], category: "TRAVEL", low: 96_00, high: 412_00 }
]

export interface Subscription {
  readonly name: string
  readonly text: string
  readonly category: Category
  readonly day: number
  readonly cents: number
  /** From the second year of every two on. */
  readonly laterCents?: number
}

export const subscriptions: ReadonlyArray<Subscription> = [
  {
    name: "Streamly",
    text: "STREAMLY.EXAMPLE 866-555-0100 CA",
    category: "ENTERTAINMENT",
    day: 4,
    cents: 15_49,
    laterCents: 17_99
  },
  { name: "Tunebox", text: "TUNEBOX*PREMIUM NY", category: "ENTERTAINMENT", day: 11, cents: 10_99 },
  { name: "Iron Works Gym", text: "IRON WORKS GYM 0042 MEMBERSHIP", category: "PERSONAL_CARE", day: 2, cents: 39_00 },
  { name: "Cloudbox", text: "CLOUDBOX STORAGE 200GB", category: "SERVICES", day: 19, cents: 2_99 },
  {
    name: "Daily Ledger News",
    text: "DAILY LEDGER DIGITAL SUBS",
    category: "ENTERTAINMENT",
    day: 23,
    cents: 8_00,
    laterCents: 9_50
  }
]
