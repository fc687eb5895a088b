const get = (id) => document.getElementById(id);
const box = get('q'), list = get('hits'), message = get('message'), choice = get('index');
const times = [];
let k = 10, running = null, indexes = [];

// Text only ever becomes text nodes: nothing of a document or a query is read as HTML.
function addSnippet(into, snippet) {
  snippet.split(/(<em>.*?<\/em>)/s).forEach((part) => {
    const inner = /^<em>(.*)<\/em>$/s.exec(part);
    if (inner) {
      const mark = document.createElement('mark');
      mark.textContent = inner[1];
      into.append(mark);
    } else {
      into.append(part);
    }
  });
}

function hitItem(hit) {
  const item = document.createElement('li');
  item.tabIndex = -1;
  const score = document.createElement('small');
  if (!hit.sort) score.textContent = hit.score.toPrecision(5);
  const title = document.createElement('b');
  title.textContent = hit.id;
  item.append(score, title);
  if (hit.snippet) {
    const text = document.createElement('p');
    addSnippet(text, hit.snippet);
    item.append(text);
  }
  addValues(item, hit);
  return item;
}

function say(text, isBad) {
  message.textContent = text;
  message.className = isBad ? 'bad' : '';
}

function showTimes(inIndexMs, wholeMs) {
  times.push(wholeMs);
  if (times.length > 40) times.shift();
  const most = Math.max(...times, 0.1);
  const points = times.map((t, i) =>
      (times.length === 1 ? 100 : i * 100 / (times.length - 1)) + ',' + (19 - t / most * 18));
  get('spark').toggleAttribute('hidden', times.length < 2);  // SVG has no property for it
  get('spark').firstElementChild.setAttribute('points', points.join(' '));
  const share = Math.min(100, inIndexMs / wholeMs * 100);
  const bar = get('bar');
  bar.hidden = false;
  bar.children[0].style.width = share + '%';
  bar.children[1].style.width = (100 - share) + '%';
  bar.setAttribute('aria-label', `${inIndexMs.toFixed(2)} ms in the index, ` +
      `${(wholeMs - inIndexMs).toFixed(2)} ms in the network and the browser`);
  bar.title = bar.getAttribute('aria-label');
}

function sayAnswer(answer, wholeMs) {
  const total = answer.total.value.toLocaleString('en');
  const parts = [answer.total.value === 0 ? 'No hits'
      : `${answer.total.exact ? '' : 'at least '}${total} ${answer.total.value === 1 ? 'hit' : 'hits'}`];
  parts.push(`${(answer.took_us / 1000).toFixed(2)} ms in the index, ${wholeMs.toFixed(1)} ms in all`);
  if (answer.timed_out) parts.push('stopped at the deadline: better hits may be missing');
  if (answer.partial) parts.push('partial: damaged segments were not searched');
  say(parts.join(' · '), Boolean(answer.timed_out || answer.partial));
}

function show(answer, wholeMs) {
  list.replaceChildren(...answer.hits.map(hitItem));
  sayAnswer(answer, wholeMs);
  get('more').hidden = answer.hits.length < k || k >= 1000;
  showTimes(answer.took_us / 1000, wholeMs);
}

function showNothing() {
  list.replaceChildren();
  get('more').hidden = true;
  clearFacets();
}

// The reason of an error, with columns of what the user wrote.
function reasonOf(answer, status) {
  if (!answer.error) return 'The server answered ' + status;
  if (fieldState.filters.length === 0) return answer.error.reason;
  return answer.error.reason.replace(
      /column (\d+)/, (_, column) => 'column ' + Math.max(1, column - kBeforeQuery.length));
}

async function ask(parameters, signal) {
  const path = choice.hidden ? 'search' : encodeURIComponent(choice.value) + '/search';
  const reply = await fetch(path + '?' + new URLSearchParams(parameters), {signal});
  return {ok: reply.ok, status: reply.status, answer: await reply.json()};
}

// The hits come first; facets look at all matches, and may take longer.
async function askFacets(query, mine, hits, wholeMs) {
  const flags = facetFlags();
  if (flags.length === 0) return;
  const {ok, answer} = await ask([['q', query], ['k', '0'], ...flags.map((f) => ['facet', f])],
                                 mine.signal);
  if (running !== mine || !ok) return;
  if (answer.total.exact) sayAnswer({...hits, total: answer.total}, wholeMs);
  showFacets(answer.facets);
}

function rememberState(query) {
  const state = new URLSearchParams(query ? {q: query} : {});
  if (!choice.hidden && choice.value) state.set('index', choice.value);
  addFieldState(state);
  history.replaceState(null, '', state.toString() ? '?' + state : location.pathname);
  document.title = query ? query + ' – pmdex' : 'pmdex';
}

async function search() {
  const written = box.value.trim();
  const query = narrowedQuery(written);
  if (running) running.abort();
  rememberState(written);
  showFilters();
  if (!query) {
    showNothing();
    get('bar').hidden = true;
    return say('');
  }
  document.body.classList.toggle('counted', fieldState.facets.length > 0);
  const mine = running = new AbortController();
  const slow = setTimeout(() => say('Searching …'), 300);
  const start = performance.now();
  try {
    const parameters = {q: query, k: String(k), snippets: 'true'};
    if (get('sort').value) parameters.sort = get('sort').value;
    if (shownFields().length > 0) parameters.fields_out = shownFields().join(',');
    const {ok, status, answer} = await ask(parameters, mine.signal);
    if (running !== mine) return;
    if (!ok) {
      showNothing();
      return say(reasonOf(answer, status), true);
    }
    clearTimeout(slow);
    const wholeMs = performance.now() - start;
    show(answer, wholeMs);
    await askFacets(query, mine, answer, wholeMs);
  } catch (error) {
    if (running === mine) {
      say(error.name === 'AbortError' ? 'Stopped' : 'The server cannot be reached', true);
    }
  } finally {
    clearTimeout(slow);
    if (running === mine) running = null;
  }
}

function move(step) {
  const items = [...list.children];
  const next = items.indexOf(document.activeElement) + step;
  if (next < 0) return box.focus();
  if (next < items.length) items[next].focus();
}

function stop() {
  if (running) return running.abort();
  if (!box.value) fieldState.filters = [];
  box.value = '';
  box.focus();
  search();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inBox = document.activeElement === box;
  if (event.key === 'Escape') {
    event.preventDefault();
    stop();
  } else if (event.key === '/' && !inBox) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === 'ArrowDown' || (event.key === 'j' && !inBox)) {
    event.preventDefault();
    move(1);
  } else if (event.key === 'ArrowUp' || (event.key === 'k' && !inBox)) {
    event.preventDefault();
    move(-1);
  }
});
get('form').addEventListener('submit', (event) => {
  event.preventDefault();
  k = 10;
  search();
});
get('more').addEventListener('click', () => {
  k = Math.min(k * 5, 1000);
  search();
});
choice.addEventListener('change', () => {
  chooseFields(indexes.find((index) => index.name === choice.value), new URLSearchParams());
  changed();
});

async function begin() {
  const state = new URLSearchParams(location.search);
  beginFields();
  try {
    const stats = await (await fetch('stats')).json();
    if (stats.indexes.length > 1) {
      choice.append(...stats.indexes.map((index) => new Option(index.name, index.name)));
      choice.hidden = false;
      if (state.has('index')) choice.value = state.get('index');
    }
    indexes = stats.indexes;
    chooseFields(indexes.find((index) => index.name === choice.value) || indexes[0], state);
    const documents = indexes.reduce((sum, index) => sum + index.documents, 0);
    say(`${documents.toLocaleString('en')} documents` +
        (facetFlags().length > 0 ? ': search for *, and all of them are counted by field' : ''));
  } catch {
    say('The server cannot be reached', true);
  }
  if (state.get('q') || fieldState.filters.length > 0) {
    box.value = state.get('q') || '';
    search();
  }
}
begin();
