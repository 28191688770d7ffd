/** The categories that Millrace ships with: the primary codes that records have, each with detailed ones (decisions 4.2). */

export interface Category {
  readonly code: string
  readonly label: string
  /** The primary code; its own for a primary one. */
  readonly primary: string
}

/** Primary code, its label; then detailed codes without it, each with a label. */
const tree = `
INCOME|Income: SALARY Salary and wages, DIVIDENDS Dividends, INTEREST_EARNED Interest earned, PENSION Pension and retirement, TAX_REFUND Tax refund, UNEMPLOYMENT Unemployment benefits, BENEFITS Public benefits, RENTAL Rental income, OTHER_INCOME Other income
TRANSFER_IN|Transfers in: ACCOUNT_TRANSFER Transfer from an own account, DEPOSIT Cash and cheque deposits, FROM_APPS From payment apps, SAVINGS From savings, INVESTMENT_FUNDS From investments, LOAN_ADVANCES Loans and advances
TRANSFER_OUT|Transfers out: ACCOUNT_TRANSFER Transfer to an own account, WITHDRAWAL Cash withdrawals, TO_APPS To payment apps, SAVINGS To savings, INVESTMENT_FUNDS To investments
LOAN_PAYMENTS|Loan payments: MORTGAGE Mortgage, CAR Car loan and leasing, CREDIT_CARD Credit card payment, PERSONAL_LOAN Personal loan, STUDENT_LOAN Student loan, PAY_LATER Pay later
BANK_FEES|Bank fees: ACCOUNT Account fees, ATM Cash machine fees, FOREIGN_TRANSACTION Foreign exchange fees, INTEREST_CHARGE Interest charged, OVERDRAFT Overdraft and returned payments, OTHER_FEES Other bank fees
ENTERTAINMENT|Entertainment: TV_AND_MOVIES Television and films, MUSIC_AND_AUDIO Music and audio, VIDEO_GAMES Video games, GAMBLING Gambling and casinos, EVENTS Sporting events, parks and museums, BOOKS_AND_NEWS Books and news
FOOD_AND_DRINK|Food and drink: GROCERIES Groceries, RESTAURANT Restaurants, FAST_FOOD Fast food, COFFEE Coffee shops, BARS Beer, wine and bars, DELIVERY Food delivery, BAKERY Bakeries and snacks
GENERAL_MERCHANDISE|Shopping: ONLINE_MARKETPLACES Online marketplaces, SUPERSTORES Superstores, DEPARTMENT_STORES Department stores, CLOTHING Clothing and accessories, ELECTRONICS Electronics, SPORTING_GOODS Sporting goods, BOOKSTORES Bookshops, PET_SUPPLIES Pet supplies, TOYS_AND_GIFTS Toys and gifts, DISCOUNT_STORES Discount stores, CONVENIENCE_STORES Convenience stores, OFFICE_SUPPLIES Office supplies, TOBACCO Tobacco
HOME_IMPROVEMENT|Home: FURNITURE Furniture, HARDWARE Hardware and garden, REPAIR Repair and maintenance, SECURITY Home security
MEDICAL|Health: PHARMACIES Pharmacies and supplements, PRIMARY_CARE Doctors, DENTAL Dentists, EYE_CARE Eye care, HOSPITALS Hospitals and nursing, VETERINARY Vets
PERSONAL_CARE|Personal care: HAIR_AND_BEAUTY Hair and beauty, GYMS Gyms and fitness, COSMETICS Cosmetics, LAUNDRY Laundry and dry cleaning
SERVICES|Services: SOFTWARE Software and online services, INSURANCE Insurance, EDUCATION Education, CHILDCARE Childcare, ACCOUNTING Accounting and legal, AUTOMOTIVE Car repair and wash, POSTAGE Postage and shipping, STORAGE Storage, ADVERTISING Advertising, CONSULTING Consulting and agencies
GOVERNMENT_AND_NON_PROFIT|Government and charity: TAX_PAYMENT Taxes, DONATIONS Donations, AGENCIES Government agencies
TRANSPORTATION|Transport: GAS Fuel and charging, PUBLIC_TRANSIT Public transport, TAXIS Taxis and ride shares, PARKING Parking, TOLLS Tolls, BIKES Bikes and scooters
TRAVEL|Travel: FLIGHTS Flights, LODGING Hotels and lodging, RENTAL_CARS Rental cars, AGENCIES Travel agencies
RENT_AND_UTILITIES|Rent and utilities: RENT Rent, ENERGY Gas and electricity, WATER Water and waste, INTERNET Internet and cable, TELEPHONE Telephone
`

/** `CODE Label`; the label may hold commas that no code follows. */
const details = (text: string): ReadonlyArray<readonly [code: string, label: string]> =>
  text.split(/, (?=[A-Z_]{2,} )/).map((one): readonly [string, string] => {
    const space = one.indexOf(" ")
    return [one.slice(0, space), one.slice(space + 1)]
  })

/** Primary codes, each followed by its detailed ones. */
export const categories: ReadonlyArray<Category> = tree
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [head = ""] = line.split(": ", 1)
    const [primary = "", label = ""] = head.split("|")
    return [
      { code: primary, label, primary },
      ...details(line.slice(head.length + 2)).map(([code, name]) => ({
        code: `${primary}_${code}`,
        label: name,
        primary
      }))
    ]
  })

const byCode: ReadonlyMap<string, Category> = new Map(categories.map((one) => [one.code, one]))

export const categoryOf = (code: string): Category | undefined => byCode.get(code)

export const primaryCategories: ReadonlyArray<Category> = categories.filter(({ code, primary }) => code === primary)
