/** Words that say what was paid for every payee, in the languages of the banks that are read most. Folded, without marks. */

export const categoryWords = `
INCOME_SALARY salary, payroll, wages, paycheck, gehalt, lohn, salaire, nomina, stipendio, salaris, vencimento, lon, palkka, wynagrodzenie
INCOME_DIVIDENDS dividend, dividende, dividendo
INCOME_INTEREST_EARNED interest earned, interest paid, credit interest, habenzinsen, zinsgutschrift, interets crediteurs
INCOME_PENSION pension, rente, retraite, pensione, pensioen
INCOME_TAX_REFUND tax refund, steuererstattung, remboursement impot
INCOME_BENEFITS child benefit, kindergeld, elterngeld, caf allocations, universal credit
TRANSFER_OUT_WITHDRAWAL cash withdrawal, atm, bargeld, retrait especes, cajero, prelievo contanti, geldopname, bankomat
LOAN_PAYMENTS_MORTGAGE mortgage, hypothek, baufinanzierung, pret immobilier, hipoteca, mutuo, hypotheek, bolan
LOAN_PAYMENTS_CREDIT_CARD credit card payment, card payment thank you, kreditkartenabrechnung, autopay
LOAN_PAYMENTS_CAR car loan, auto loan, auto finance, leasing
LOAN_PAYMENTS_STUDENT_LOAN student loan, bafog
LOAN_PAYMENTS_PERSONAL_LOAN loan payment, kreditrate, darlehen, ratenkredit
BANK_FEES_ACCOUNT account fee, monthly fee, maintenance fee, kontofuhrung, kontofuhrungsgebuhr, frais de tenue, comision mantenimiento, canone
BANK_FEES_OVERDRAFT overdraft fee, returned item, nsf fee, rucklastschrift, agios
BANK_FEES_FOREIGN_TRANSACTION foreign transaction fee, non sterling transaction fee, auslandseinsatzentgelt
BANK_FEES_ATM atm fee, cash machine fee
BANK_FEES_INTEREST_CHARGE interest charge, interest charged, purchase interest, sollzinsen, interets debiteurs
ENTERTAINMENT_TV_AND_MOVIES cinema, movie theater, movies, kino, theatre, rundfunk
ENTERTAINMENT_GAMBLING casino, lottery, lotto, betting, bingo, spielbank
ENTERTAINMENT_EVENTS museum, zoo, concert, stadium, tickets, aquarium, theme park, konzert, bowling
ENTERTAINMENT_BOOKS_AND_NEWS newspaper, zeitung, magazine
FOOD_AND_DRINK_GROCERIES grocery, groceries, grocery store, supermarket, supermarkt, supermarche, supermercado, market, metzgerei, butcher, butchers, boucherie, macelleria, alimentari, epicerie, greengrocer, fruteria, stormarknad, frutta
FOOD_AND_DRINK_RESTAURANT restaurant, ristorante, restaurante, trattoria, osteria, brasserie, bistro, steakhouse, sushi, grill, diner, thai, ramen, tapas, taqueria, gasthaus, gasthof, wirtshaus, noodle, tandoori, curry, izakaya, ravintola, restauracja
FOOD_AND_DRINK_FAST_FOOD pizza, pizzeria, burger, burgers, kebab, doner, imbiss, fried chicken, fast food, hot dog, taco, tacos, sandwiches, deli, friterie, falafel
FOOD_AND_DRINK_COFFEE cafe, coffee, espresso, caffe, kaffee, kaffeehaus, roasters, koffie, kahvila, kawiarnia, tea room
FOOD_AND_DRINK_BARS bar, pub, tavern, brewery, brewing, taproom, biergarten, winery, liquor, liquor store, wine shop, cocktail, getrankemarkt, bottle shop, caviste, beer, bodega
FOOD_AND_DRINK_BAKERY bakery, backerei, boulangerie, patisserie, konditorei, panaderia, panificio, bakkerij, donuts, gelato, ice cream, pasteleria, piekarnia, bageri
GENERAL_MERCHANDISE_CLOTHING clothing, shoes, fashion, boutique, schuhe, mode, chaussures, zapateria, tailor, jewelry, jewellers, juwelier, bijouterie, scarpe
GENERAL_MERCHANDISE_ELECTRONICS electronics, computer, computers, elektronik
GENERAL_MERCHANDISE_BOOKSTORES bookstore, books, bookshop, buchhandlung, librairie, libreria, boekhandel
GENERAL_MERCHANDISE_PET_SUPPLIES pet, pets, pet shop, tierbedarf, animalerie
GENERAL_MERCHANDISE_TOYS_AND_GIFTS toys, gifts, spielwaren, jouets, florist, flowers, blumen, fleuriste, floristeria
GENERAL_MERCHANDISE_CONVENIENCE_STORES convenience store, kiosk, spati, tabac presse, newsagent, newsagents, corner shop, minimart
GENERAL_MERCHANDISE_TOBACCO tobacco, tabak, tabacchi, tabac, estanco, smoke shop, vape
GENERAL_MERCHANDISE_SPORTING_GOODS sporting goods, bike shop, outdoor
GENERAL_MERCHANDISE_OFFICE_SUPPLIES stationery, papeterie, burobedarf
HOME_IMPROVEMENT_HARDWARE hardware, hardware store, baumarkt, garden centre, garden center, gartencenter, bricolage, ferreteria, ferramenta, lumber, nursery plants
HOME_IMPROVEMENT_FURNITURE furniture, mobel, meubles, muebles, mobili, mattress, matratzen
HOME_IMPROVEMENT_REPAIR plumber, plumbing, electrician, roofing, handyman, sanitar, elektriker, construction, locksmith, heizung, painting contractor
MEDICAL_PHARMACIES pharmacy, apotheke, pharmacie, farmacia, apotheek, chemist, chemists, drugstore, apotek, apteekki, apteka
MEDICAL_PRIMARY_CARE doctor, arzt, praxis, medecin, clinic, medico, physician, physiotherapy, physio, kinesitherapeute, huisarts
MEDICAL_DENTAL dentist, dental, zahnarzt, dentiste, dentista, tandarts, orthodontics, orthodontist, tandlakare
MEDICAL_EYE_CARE optician, opticians, optiker, opticien, optica, ottica, eye care
MEDICAL_HOSPITALS hospital, klinik, klinikum, krankenhaus, hopital, ospedale
MEDICAL_VETERINARY vet, veterinary, tierarzt, veterinaire, veterinario, animal hospital
PERSONAL_CARE_HAIR_AND_BEAUTY barber, barbershop, hair, hairdresser, salon, friseur, coiffeur, coiffure, peluqueria, parrucchiere, kapper, nails, nail salon, spa, massage, beauty, frisor
PERSONAL_CARE_GYMS gym, fitness, fitnessstudio, yoga, pilates, crossfit, gimnasio, palestra, sportschool
PERSONAL_CARE_LAUNDRY laundry, laundromat, dry cleaning, dry cleaners, reinigung, wascherei, pressing, lavanderia, tintoreria
SERVICES_INSURANCE insurance, versicherung, assurance, seguro, seguros, assicurazione, assicurazioni, verzekering, verzekeringen, krankenkasse, forsakring, ubezpieczenie
SERVICES_EDUCATION school, university, college, tuition, schule, universitat, ecole, universite, escuela, colegio, scuola, volkshochschule, fahrschule, driving school
SERVICES_CHILDCARE childcare, daycare, kindergarten, kita, creche, nursery school, guarderia, asilo, kinderopvang
SERVICES_ACCOUNTING accountant, accounting, solicitors, law firm, attorney, steuerberater, rechtsanwalt, notar, expert comptable, avocat, gestoria, commercialista
SERVICES_AUTOMOTIVE car wash, auto repair, garage, mechanic, werkstatt, autowerkstatt, tyres, tires, reifen, controle technique, autolavaggio, taller, carrozzeria, tuv
SERVICES_POSTAGE post office, postage, courier, paket
SERVICES_STORAGE self storage, storage
SERVICES_ADVERTISING advertising, ads
SERVICES_SOFTWARE software, hosting, cloud
GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT tax, taxes, finanzamt, impots, dgfip, hacienda, agenzia entrate, belastingdienst, skatteverket, council tax, property tax, grundsteuer, aeat, skat
GOVERNMENT_AND_NON_PROFIT_DONATIONS donation, charity, spende, don association, donativo, church, kirche, eglise, foundation
GOVERNMENT_AND_NON_PROFIT_AGENCIES dmv, dvla, burgeramt, stadtkasse, landeshauptkasse, mairie, ayuntamiento, comune, gemeente, passport office, prefecture
TRANSPORTATION_GAS gas station, petrol, petrol station, fuel, tankstelle, station service, gasolinera, estacion de servicio, benzinaio, distributore, tankstation, charging station, ladestation, bensinstation
TRANSPORTATION_PUBLIC_TRANSIT metro, transit, subway, tram, railway, verkehrsbetriebe, verkehrsverbund, bus, train tickets, trenes, trasporti
TRANSPORTATION_TAXIS taxi, cab, cabs, minicab, vtc
TRANSPORTATION_PARKING parking, parkhaus, parkplatz, car park, aparcamiento, parcheggio, parkeren, parkering
TRANSPORTATION_TOLLS toll, tolls, maut, peage, peaje, autostrade, turnpike, ezpass, vignette
TRANSPORTATION_BIKES bike rental, bikeshare, scooter
TRAVEL_FLIGHTS airline, airlines, airways, flight, fluggesellschaft
TRAVEL_LODGING hotel, hotels, motel, hostel, inn, resort, pension gasthaus, albergo, auberge, camping, campground, bed breakfast, hotell
TRAVEL_RENTAL_CARS car rental, rent a car, autovermietung, location voiture, autonoleggio, alquiler coches
TRAVEL_AGENCIES travel agency, reiseburo, agence de voyage, viajes, viaggi, cruise, cruises
RENT_AND_UTILITIES_RENT rent, miete, loyer, alquiler, affitto, huur, hyra, vuokra, czynsz, property management, hausverwaltung, wohnungsbau
RENT_AND_UTILITIES_ENERGY electric, electricity, power company, gas company, energy, energie, strom, stadtwerke, electricite, luz, energia, gas bill, utility, utilities, power light
RENT_AND_UTILITIES_WATER water, city water, sewer, wasser, wasserwerke, eau, agua, acqua, waste, refuse, abfall, abfallwirtschaft, vatten
RENT_AND_UTILITIES_INTERNET internet, broadband, internet service provider, cable, fibre, glasfaser
RENT_AND_UTILITIES_TELEPHONE phone company, mobile phone, telephone, wireless, mobilfunk, telefon, prepaid
`
