'use strict';
// Fields that are not text: facets that narrow the query, a histogram of a date, and orders of the
// hits. search.js calls this. Text only ever becomes text nodes.

const fieldState = {fields: [], filters: [], date: null, facets: [], sizes: new Map()};
const kFewTerms = 8, kManyTerms = 50;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function svgElement(name, attributes) {
  const made = document.createElementNS(get('spark').namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A filter is [field, value] or [field, from, to], where null is no bound and `to` is outside.

const escapeName = (name) => name.replace(/[^\w.\u0080-\uffff]/g, '\\$&');
const quote = (value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`;
const bound = (value) => value === null ? '*' : quote(value);

function filterClause([field, from, to]) {
  const value = to === undefined ? quote(from) : `[${bound(from)} TO ${bound(to)}}`;
  return `+${escapeName(field)}:${value}^0`;  // adds nothing to the score
}

function isFilter(filter) {
  return Array.isArray(filter) && (filter.length === 2 || filter.length === 3) &&
      typeof filter[0] === 'string' &&
      filter.slice(1).every((v) => v === null || ['string', 'number', 'boolean'].includes(typeof v));
}

// What stands before the user's own words in the query that is asked.
const kBeforeQuery = '+(';

function narrowedQuery(query) {
  if (fieldState.filters.length === 0) return query;
  return [kBeforeQuery + (query || '*') + ')', ...fieldState.filters.map(filterClause)].join(' ');
}

const isDate = (field) => typeOf(field) === 'date';
const typeOf = (name) => (fieldState.fields.find((field) => field.name === name) || {}).type;
const isNumber = (type) => type === 'i64' || type === 'u64' || type === 'f64';
const isCounted = (field) => field.type === 'keyword' || field.type === 'bool';

// 2026-01-31T00:00:00Z as 2026-01-31, and 2026-01-31T10:20:30.5Z as 2026-01-31 10:20:30.
function dateText(date) {
  const [day, time] = String(date).split('T');
  const clock = (time || '').replace(/(\.\d+)?Z$/, '');
  return /^(00:00:00)?$/.test(clock) ? day : `${day} ${clock}`;
}

function numberText(number) {
  return typeof number === 'number' ? number.toLocaleString('en', {maximumSignificantDigits: 17})
                                    : String(number);
}

function valueText(field, value) {
  if (value === null) return '';
  if (value === '') return '(empty)';
  if (isDate(field)) return dateText(value);
  return isNumber(typeOf(field)) ? numberText(value) : String(value);
}

function rangeText(field, from, to) {
  if (to === null) return `from ${valueText(field, from)}`;
  if (from === null) return `before ${valueText(field, to)}`;
  return `${valueText(field, from)} to ${valueText(field, to)}`;
}

function filterText([field, from, to]) {
  return `${field}: ${to === undefined ? valueText(field, from) : rangeText(field, from, to)}`;
}

// Attributes of files that have nearly as many values as there are files.
const kManyValues = ['path', 'name', 'dir', 'target', 'inode'];

// Attributes of files that administrators ask for. Readers ask for the others first.
const kAdministrative = new Set(['acl', 'atime', 'blocks', 'ctime', 'device', 'gid', 'inode', 'mode',
                                 'nlink', 'rdev', 'uid']);

// Fields in the order in which a reader would ask for them: those of most documents first, and
// keywords with few values before those with many. Users of a server that shows each what it may
// see get no counts of fields; then their names decide. `access` is text for pmdex alone.
function usefulFields(documents) {
  const count = (field) => field.documents === undefined ? documents : field.documents;
  const isUseful = (field) => field.documents === undefined ? !kManyValues.includes(field.name) :
      field.type !== 'keyword' ||
      (field.keywords > 1 && field.keywords <= Math.max(50, documents / 4));
  const isLate = (field) => kAdministrative.has(field.name);
  return fieldState.fields.filter((field) => field.type !== 'text' && field.name !== 'access' &&
                                  count(field) > 0 && isUseful(field))
      .sort((a, b) => isLate(a) - isLate(b) || count(b) - count(a) ||
            (a.keywords || 0) - (b.keywords || 0) || (a.name < b.name ? -1 : 1));
}

function chooseFields(index, state) {
  // Flags could not tell names with these characters apart.
  fieldState.fields = index ? index.fields.filter((field) => !/[>,]/.test(field.name)) : [];
  const useful = usefulFields(index ? index.documents : 0);
  const names = new Set(fieldState.fields.filter((f) => f.type !== 'text').map((f) => f.name));
  const dates = useful.filter((field) => field.type === 'date').map((field) => field.name);
  fieldState.date = dates.includes(state.get('date')) ? state.get('date') : dates[0] || null;
  fieldState.facets = [
    ...useful.filter(isCounted).slice(0, 5),
    ...useful.filter((f) => isNumber(f.type) && !kAdministrative.has(f.name)).slice(0, 3),
  ].map((field) => field.name);
  for (const name of state.getAll('facet')) {
    if (names.has(name) && !fieldState.facets.includes(name)) fieldState.facets.push(name);
  }
  fieldState.more = state.getAll('facet').filter((name) => names.has(name));
  fieldState.filters = [];
  for (const text of state.getAll('f')) {
    try {
      const filter = JSON.parse(text);
      if (isFilter(filter)) fieldState.filters.push(filter);
    } catch { /* an address that somebody wrote by hand */ }
  }
  fillSort(state.get('sort') || '');
  fillMoreFacets();
  fillDates(dates);
  clearFacets();
}

function fillSort(chosen) {
  const options = [new Option('Best match', '')];
  const words = {date: ['newest first', 'oldest first'], keyword: ['Z to A', 'A to Z'],
                 bool: ['true first', 'false first']};
  for (const field of fieldState.fields.filter((f) => f.type !== 'text').slice(0, 40)) {
    const [descending, ascending] = words[field.type] || ['greatest first', 'least first'];
    const both = [new Option(`${field.name}, ${descending}`, `${field.name}:desc`),
                  new Option(`${field.name}, ${ascending}`, `${field.name}:asc`)];
    options.push(...(field.type === 'keyword' ? both.reverse() : both));
  }
  const select = get('sort');
  select.replaceChildren(...options);
  select.hidden = options.length === 1;
  select.value = options.some((option) => option.value === chosen) ? chosen : '';
}

function fillMoreFacets() {
  const rest = fieldState.fields.filter((f) => f.type !== 'text' && f.type !== 'date' &&
                                        !fieldState.facets.includes(f.name));
  get('addfacet').replaceChildren(new Option('Count another field …', ''),
                                  ...rest.map((field) => new Option(field.name, field.name)));
  get('addfacet').hidden = rest.length === 0;
}

function fillDates(dates) {
  get('date').replaceChildren(...dates.map((name) => new Option(name, name)));
  get('date').value = fieldState.date || '';
  get('date').disabled = dates.length < 2;
}

// Adds to the address what a reader chose.
function addFieldState(state) {
  for (const filter of fieldState.filters) state.append('f', JSON.stringify(filter));
  if (get('sort').value) state.set('sort', get('sort').value);
  for (const name of fieldState.more || []) state.append('facet', name);
  if (fieldState.date && get('date').selectedIndex > 0) state.set('date', fieldState.date);
}

function facetFlags() {
  const flags = fieldState.facets.map((name) => {
    if (isNumber(typeOf(name))) return `${name}:histogram`;
    return `${name}:terms:${fieldState.sizes.get(name) || kFewTerms}`;
  });
  return fieldState.date ? [`${fieldState.date}:date_histogram`, ...flags] : flags;
}

// The fields whose values stand below a hit.
function shownFields() {
  const sorted = get('sort').value.replace(/:(asc|desc)$/, '');
  const names = [fieldState.date, sorted, ...fieldState.facets].filter((name) => name);
  return [...new Set(names)].slice(0, 8);
}

function addValues(item, hit) {
  const fields = Object.entries(hit.fields || {});
  if (fields.length === 0) return;
  const line = element('p', undefined, 'values');
  for (const [name, value] of fields) {
    const text = [].concat(value).map((one) => valueText(name, one)).join(', ');
    const pair = element('span');
    pair.append(element('b', name), ' ', text.length > 80 ? text.slice(0, 80) + '…' : text);
    line.append(pair, ' ');
  }
  item.append(line);
}

function changed() {
  k = 10;
  search();
}

function addFilter(filter) {
  const text = JSON.stringify(filter);
  // A narrower range takes the place of the one that it lies in.
  if (filter.length === 3) {
    fieldState.filters = fieldState.filters.filter((f) => f.length === 2 || f[0] !== filter[0]);
  }
  if (!fieldState.filters.some((other) => JSON.stringify(other) === text)) {
    fieldState.filters.push(filter);
  }
  changed();
}

function showFilters() {
  get('filters').replaceChildren(...fieldState.filters.map((filter) => {
    const chip = element('button', filterText(filter), 'chip');
    chip.type = 'button';
    chip.append(element('span', '×', 'cross'));
    chip.setAttribute('aria-label', `Remove the filter ${filterText(filter)}`);
    chip.addEventListener('click', () => {
      fieldState.filters = fieldState.filters.filter((other) => other !== filter);
      changed();
    });
    return chip;
  }));
}

function termsPanel(facet) {
  const list = element('ul');
  const most = Math.max(1, ...facet.buckets.map((bucket) => bucket.count));
  for (const bucket of facet.buckets) {
    const button = element('button', undefined, 'value');
    button.type = 'button';
    const bar = element('i');
    bar.style.width = bucket.count / most * 100 + '%';
    const name = element('b', valueText(facet.field, bucket.key));
    name.title = name.textContent;
    button.append(bar, name, element('small', bucket.count.toLocaleString('en')));
    button.addEventListener('click', () => addFilter([facet.field, bucket.key]));
    const item = element('li');
    item.append(button);
    list.append(item);
  }
  return list;
}

function moreTermsButton(facet) {
  const button = element('button', 'More', 'link');
  button.type = 'button';
  button.addEventListener('click', () => {
    fieldState.sizes.set(facet.field, kManyTerms);
    search();
  });
  return button;
}

// A bar for each bucket. Keys of buckets are where they begin; the last one has no end.
function histogram(facet, height) {
  const buckets = facet.buckets;
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const svg = svgElement('svg', {viewBox: `0 0 ${buckets.length * 10} ${height}`,
                                 preserveAspectRatio: 'none', class: 'bars', role: 'group',
                                 'aria-label': `Documents by ${facet.field}`});
  buckets.forEach((bucket, i) => {
    const to = i + 1 < buckets.length ? buckets[i + 1].key : null;
    const text = `${rangeText(facet.field, bucket.key, to)}: ${bucket.count.toLocaleString('en')}`;
    const bar = svgElement('g', {role: 'button', tabindex: 0, 'aria-label': text});
    const title = svgElement('title', {});
    title.textContent = text;
    const high = bucket.count === 0 ? 0 : Math.max(1.5, bucket.count / most * (height - 2));
    bar.append(title, svgElement('rect', {class: 'all', x: i * 10, y: 0, width: 10, height}),
               svgElement('rect', {x: i * 10 + 0.5, y: height - high, width: 9, height: high}));
    const choose = () => addFilter([facet.field, bucket.key, to]);
    bar.addEventListener('click', choose);
    bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose();
    });
    svg.append(bar);
  });
  return svg;
}

function axis(facet) {
  const ends = element('div', undefined, 'axis');
  const first = facet.buckets[0], last = facet.buckets[facet.buckets.length - 1];
  const most = Math.max(...facet.buckets.map((bucket) => bucket.count));
  ends.append(element('span', valueText(facet.field, first.key)),
              element('span', `up to ${most.toLocaleString('en')}`));
  if (last !== first) ends.append(element('span', `from ${valueText(facet.field, last.key)}`));
  return ends;
}

function facetPanel(facet) {
  const panel = element('section');
  panel.append(element('h2', facet.field));
  if (facet.type === 'histogram') {
    panel.append(histogram(facet, 40), axis(facet));
    return panel;
  }
  panel.append(termsPanel(facet));
  if (facet.other > 0) {
    const line = element('p', `and ${facet.other.toLocaleString('en')} in other values `, 'other');
    if ((fieldState.sizes.get(facet.field) || kFewTerms) < kManyTerms) line.append(moreTermsButton(facet));
    panel.append(line);
  }
  return panel;
}

function clearFacets() {
  document.body.classList.remove('counted');
  get('panels').replaceChildren();
  get('time').hidden = true;
  get('facets').hidden = true;
}

function showFacets(facets) {
  const shown = facets.filter((facet) => facet.buckets && facet.buckets.length > 0);
  const time = shown.find((facet) => facet.type === 'date_histogram');
  get('time').hidden = !time;
  if (time) get('bars').replaceChildren(histogram(time, 60), axis(time));
  const rest = shown.filter((facet) => facet !== time);
  get('panels').replaceChildren(...rest.map(facetPanel));
  get('facets').hidden = rest.length === 0;
}

function beginFields() {
  const wide = matchMedia('(min-width: 56rem)');
  const fit = () => { get('facets').open = wide.matches; };
  wide.addEventListener('change', fit);
  fit();
  get('sort').addEventListener('change', changed);
  get('date').addEventListener('change', () => {
    fieldState.date = get('date').value;
    search();
  });
  get('addfacet').addEventListener('change', () => {
    const name = get('addfacet').value;
    if (!name) return;
    fieldState.facets.push(name);
    fieldState.more.push(name);
    fillMoreFacets();
    search();
  });
}
