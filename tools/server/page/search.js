const get = (id) => document.getElementById(id);
const box = get('q'), list = get('hits'), message = get('message'), choice = get('index');
const times = [];
let k = 10, running = null, shown = null, indexes = [];

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

// The last part of a path; another id as it is.
function titleOfId(id) {
  return /^[^<>"\s]+$/.test(id) ? id.replace(/\/+$/, '').split('/').pop() || id : id;
}

function addId(item, id) {
  const small = document.createElement('span');
  small.className = 'id';
  small.textContent = id;
  item.querySelector('b').after(small);
}

// What a stored document calls itself: the first of these fields that holds a text.
function titleOfSource(source) {
  for (const name of ['title', 'name', 'subject']) {
    const value = source && (Array.isArray(source[name]) ? source[name][0] : source[name]);
    if (typeof value === 'string' && value.trim()) return value.trim().slice(0, 200);
  }
  return null;
}

// Where the index stores its documents, hits get their titles behind the answer. They are no part of
// the search, which Escape stops.
async function askTitles(hits, mine) {
  const index = choice.hidden ? indexes[0] && indexes[0].name : choice.value;
  const ids = hits.map((hit) => hit.id);
  const names = new Set(fieldState.fields.map((field) => field.name));
  if (!index || ids.length === 0 || !['title', 'name', 'subject'].some((n) => names.has(n))) return;
  const path = encodeURIComponent(index) + '/_mget?_source_includes=title,name,subject';
  const reply = await fetch(path, {
    method: 'POST', signal: mine.signal, headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({ids}),
  });
  if (!reply.ok) return;
  const {docs} = await reply.json();
  if (shown !== mine) return;
  docs.forEach((found, i) => {
    const title = titleOfSource(found._source), item = list.children[i];
    if (!title || !item) return;
    item.querySelector('b').textContent = title;
    if (!item.querySelector('.id')) addId(item, ids[i]);
  });
}

function hitItem(hit) {
  const item = document.createElement('li');
  item.tabIndex = -1;
  const score = document.createElement('small');
  if (!hit.sort) score.textContent = hit.score.toPrecision(5);
  const title = document.createElement('b');
  title.textContent = titleOfId(hit.id);
  item.append(score, title);
  if (title.textContent !== hit.id) addId(item, hit.id);
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

// The parts of the whole time, in milliseconds. timing: the header Server-Timing, or null.
function partsOf(timing, inIndexMs, replyMs, renderMs) {
  const of = (name) => {
    const match = new RegExp('\\b' + name + ';dur=([\\d.]+)').exec(timing || '');
    return match ? Number(match[1]) : 0;
  };
  const parts = {queue: of('queue'), index: timing ? of('search') : inIndexMs, encode: of('encode')};
  parts.network = Math.max(0, replyMs - parts.queue - parts.index - parts.encode);
  parts.page = renderMs;
  return parts;
}

function showTimes(parts, wholeMs) {
  times.push(wholeMs);
  if (times.length > 40) times.shift();
  const most = Math.max(...times, 0.1);
  const points = times.map((t, i) =>
      (times.length === 1 ? 100 : i * 100 / (times.length - 1)) + ',' + (19 - t / most * 18));
  get('spark').toggleAttribute('hidden', times.length < 2);  // SVG has no property for it
  get('spark').firstElementChild.setAttribute('points', points.join(' '));
  const bar = get('bar');
  bar.hidden = false;
  const words = {queue: 'waiting', index: 'in the index', encode: 'writing the answer',
                 network: 'in the network', page: 'showing it'};
  Object.keys(words).forEach((name, i) => {
    bar.children[i].style.width = parts[name] / wholeMs * 100 + '%';
  });
  bar.title = Object.entries(words).map(([name, text]) => `${parts[name].toFixed(2)} ms ${text}`)
      .join(', ');
  bar.setAttribute('aria-label', bar.title);
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

// start: of the request. Returns the milliseconds until the hits were there.
function show({answer, timing}, start) {
  const replyMs = performance.now() - start;
  list.replaceChildren(...answer.hits.map(hitItem));
  const wholeMs = performance.now() - start;
  sayAnswer(answer, wholeMs);
  get('more').hidden = answer.hits.length < k || k >= 1000;
  showTimes(partsOf(timing, answer.took_us / 1000, replyMs, wholeMs - replyMs), wholeMs);
  return wholeMs;
}

function showNothing() {
  shown = null;
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
  const timing = reply.headers.get('Server-Timing');
  return {ok: reply.ok, status: reply.status, timing, answer: await reply.json()};
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
    const reply = await ask(parameters, mine.signal);
    if (running !== mine) return;
    if (!reply.ok) {
      showNothing();
      return say(reasonOf(reply.answer, reply.status), true);
    }
    clearTimeout(slow);
    const wholeMs = show(reply, start);
    shown = mine;
    askTitles(reply.answer.hits, mine).catch(() => {});  // ids do without
    await askFacets(query, mine, reply.answer, wholeMs);
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
