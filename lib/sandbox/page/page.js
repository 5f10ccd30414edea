/* global document, window */
// The sandbox's page: what it shows is read again whenever the event stream says that it changed.
import { connect } from './connection.js';
import { showDetail } from './details.js';
import { byId } from './dom.js';
import { listenToFilters, listPlace, showFilters, takeAddress } from './filters.js';
import { listenToForms, showClock } from './forms.js';
import { listenToKeys } from './keys.js';
import { showCounts, showTable } from './lists.js';
import { listenToPhone, showPhone, announcePayment } from './phone.js';
import { showPanel, showStart } from './panels.js';
import { outdated, readAll, readNow, whenRead } from './reading.js';
import { LISTS } from './store.js';
import { currentPlace, listenToTabs, showTab } from './tabs.js';
import { buildViews } from './views.js';
import { currentLanguage, setLanguage, text } from './words.js';

let drawing = false;

/** Draws once for all messages of one moment. */
function draw() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    show();
  });
}

function show(moved = false) {
  const place = currentPlace();
  showTab(place.tab);
  showFilters(place.tab);
  if (place.tab in LISTS) showTable(place.tab);
  emptyOthers(place.tab);
  showDetail(place, moved);
  showPanel(place.tab);
  showPhone();
  showCounts();
  showClock();
  showLink(link());
}

/** A hidden list would cost the browser as much as the one in view. */
function emptyOthers(tab) {
  for (const name of Object.keys(LISTS)) if (name !== tab) byId(`rows-${name}`).replaceChildren();
}

/** Without a connection nobody knows what waits: the page hides that nothing does, and the count in its title. */
function showLink(state) {
  document.documentElement.dataset.link = state;
  byId('link').dataset.state = state;
  if (byId('link-text').textContent !== text(state)) byId('link-text').textContent = text(state);
  if (state !== 'live') document.title = text('title');
}

function take(name, value) {
  if (name === 'payment') announcePayment(value);
  outdated(name);
}

/** Shows what the address names, and reads it again. */
function goTo(moved) {
  takeAddress();
  show(moved);
  readNow(currentPlace().tab, 'open');
}

/** Without a connection, the next one starts again. */
function start() {
  showStart().catch(() => {});
}

buildViews();
takeAddress();
byId('language').value = currentLanguage();
byId('language').addEventListener('change', ({ currentTarget }) => {
  setLanguage(currentTarget.value);
  start();
  show();
});
window.addEventListener('hashchange', () => goTo(currentPlace().name !== undefined));
document.addEventListener('visibilitychange', draw);
listenToTabs(listPlace);
listenToPhone();
listenToForms();
listenToFilters((name) => {
  readNow(name);
  draw();
});
listenToKeys(() => goTo(false));
setLanguage(currentLanguage());
setInterval(showClock, 1_000);
whenRead(draw);
const link = connect({ readLists: () => readAll().then(start), take, changed: draw });
show();
