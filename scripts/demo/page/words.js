export const english = {
  title: 'A shop and its customer’s phone',
  how: 'Press Pay in the shop, then Approve on the phone. Everything is made up; the terminal tells what happens.',
  customers: 'Who pays?',
  shop: 'The shop',
  phone: 'The phone, and what the gateway saw',
  decides: 'decides on the phone',
  poor: 'too little money',
  cancels: 'cancels',
  lost: 'the answer gets lost',
  busy: 'the gateway is busy',
};

export const swahili = {
  title: 'Duka na simu ya mteja wake',
  how: 'Bonyeza Lipa dukani, kisha Thibitisha kwenye simu. Yote haya ni ya majaribio; dirisha la amri linaeleza kinachotokea.',
  customers: 'Nani analipa?',
  shop: 'Duka',
  phone: 'Simu, na yaliyofika kwenye mfumo wa malipo',
  decides: 'anaamua kwenye simu',
  poor: 'salio halitoshi',
  cancels: 'anaghairi',
  lost: 'jibu linapotea',
  busy: 'mfumo una kazi nyingi',
};
