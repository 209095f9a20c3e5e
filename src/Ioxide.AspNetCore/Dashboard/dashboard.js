// Cards with one figure each, in the order in which they are first drawn.
const cards = new Map();
function card(section, options) {
  let made = cards.get(options.name);
  if (!made) {
    cards.set(options.name, made = new Figure(byId(section).querySelector('.figures'), options));
  }
  return made;
}

const libraryTitles = { 'Ioxide.AspNetCore': 'Endpoint scheduling', 'Ioxide.Pg': 'PostgreSQL', 'Ioxide.Tls': 'TLS', 'Ioxide.Files': 'Static files' };
const libraries = new Map();
function library(meter) {
  let made = libraries.get(meter);
  if (!made) {
    const title = element('h2', { id: `meter-${meter}` }, libraryTitles[meter] ?? meter);
    const figures = element('div', { className: 'figures' });
    const section = element('section', {}, title, figures);
    section.setAttribute('aria-labelledby', title.id);
    section.dataset.meter = meter;
    byId('libraries').append(section);
    libraries.set(meter, made = { figures, known: new Map() });
  }
  return made;
}

// Takes the figures of one sample into the tracks, and says how to show each when it is drawn.
const texts = new Map();
const all = new Latencies();
let endpoints = [];
function take(sample) {
  const isSame = last?.epoch === sample.epoch;
  elapsed = isSame ? (sample.timeMs - last.timeMs) / 1000 : NaN;

  // Seconds of which nothing came are gaps.
  const missed = last ? Math.max(0, Math.min(kept, Math.round((performance.now() - arrived) / 1000) - 1)) : 0;
  for (const each of tracks.values()) {
    for (let second = 0; second < missed; second++) {
      each.values.push(NaN);
    }
    each.total = isSame ? each.total : NaN;
  }
  if (!isSame) {
    all.readings.length = 0;
  }
  seen += missed + 1;
  newestAt = Date.now();
  last = sample;
  arrived = performance.now();

  rate('requests', sample.requests);
  takeProcess(sample.process);
  for (const column of columns) {
    let sum = 0;
    for (const reactor of sample.reactors) {
      sum += (column.isRate ? rate : push)(`${reactor.id}.${column.name}`, reactor[column.name]);
    }
    if (sample.reactors.length > 0) {
      push(column.name === 'requests' ? 'reactors.requests' : column.name, column.limit ? sum / sample.reactors.length : sum);
    }
  }
  for (const name of ['acceptPauses', 'bufferExhaustions', 'overflows']) {
    push(name, sample.reactors.reduce((sum, reactor) => sum + reactor[name], 0));
  }
  endpoints = takeEndpoints(sample);
  takeErrors(sample);
  takeSeries(sample.series);

  for (const each of tracks.values()) {
    if (!each.isFresh) {
      each.values.push(NaN);
      each.total = NaN;
    }
    each.isFresh = false;
    each.values.splice(0, each.values.length - kept);
  }
}

function takeProcess(process) {
  rate('cpu', process.cpuSeconds);
  push('memory', process.memoryBytes);
  push('heap', process.heapBytes);
  rate('allocated', process.allocatedBytes);
  rate('pause', process.pauseSeconds);
  rate('collections', process.gen0);
  push('poolThreads', process.poolThreads);
  push('poolQueue', process.poolQueue);
  rate('poolItems', process.poolItems);
  rate('lockContentions', process.lockContentions);
}

const errors = { serverErrors: 0, clientErrors: 0, aborted: 0, connections: 0, types: '' };
function takeErrors(sample) {
  const totals = new Map();
  for (const name of ['serverErrors', 'clientErrors', 'aborted']) {
    errors[name] = sample.endpoints.reduce((sum, each) => sum + each[name], 0);
    rate(name, errors[name]);
  }
  const types = Object.entries(sample.connectionErrors).sort((one, other) => other[1] - one[1]);
  errors.connections = types.reduce((sum, [, amount]) => sum + amount, 0);
  errors.types = types.slice(0, 2).map(([type, amount]) => `${whole.format(amount)} ${type.replaceAll('_', ' ')}`).join(', ');
  rate('connectionErrors', errors.connections);
  for (const each of endpoints) {
    for (const [end, amount] of each.totals) {
      totals.set(end, (totals.get(end) ?? 0) + amount);
    }
  }
  all.take(totals);
  const [p50, p99] = all.ofSecond([0.5, 0.99]);
  push('p50', p50);
  push('p99', p99);
}

function takeSeries(series) {
  for (const figure of texts.keys()) {
    texts.set(figure, known(count, NaN));
  }
  const sums = new Map();
  // Instruments of one name and the same attributes add up: two data sources of one database, say.
  const merged = new Map();
  // What serves, and in which condition, is said above.
  for (const each of series.filter(({ name }) => !name.endsWith('.status'))) {
    const name = `${each.meter} ${each.name} ${each.attributes}`;
    const known = merged.get(name);
    merged.set(name, known ? { ...known, value: known.value + each.value, sum: known.sum + each.sum } : { ...each });
  }
  for (const [name, each] of merged) {
    const value = (each.kind === 'level' ? push : rate)(name, each.value);
    const amount = each.unit === 'By' ? bytes : each.unit === 's' ? duration : count;
    const format = each.kind === 'level' ? amount : each.unit === 'By' ? bytesPerSecond : perSecond;
    const shown = library(each.meter);
    const key = `${each.meter} ${each.name}`;
    let figure = shown.known.get(key);
    if (!figure) {
      const what = each.what.replace(/\.$/, '');
      const isStacked = each.attributes !== '';
      const title = each.kind === 'histogram' ? `${what}: how many, mean` : what;
      figure = new Figure(shown.figures, { name: key, title, format, isStacked, series: isStacked ? [] : [{ name }] });
      shown.known.set(key, figure);
    }
    if (figure.plot.isStacked && !figure.keys.has(name)) {
      figure.add({ name, title: each.attributes || 'other', style: `tone${figure.keys.size % 6}` });
    }
    let text = format;
    if (each.kind === 'histogram') {
      const total = track(`${name} sum`);
      const mean = (each.sum - total.total) / elapsed / value;
      total.total = each.sum;
      push(`${name} sum`, NaN);
      text = sum => `${known(format, sum)} \u00b7 ${known(each.unit === 's' ? seconds : count, mean)}`;
    }
    sums.set(figure, (sums.get(figure) ?? 0) + value);
    texts.set(figure, known(text, sums.get(figure)));
  }
}

function problems(reactors) {
  const of = condition => reactors.filter(reactor => reactor.condition === condition).map(reactor => reactor.id).join(', ');
  return [
    [of('ended'), 'has ended: its connections are closed. Restart the process.'],
    [of('stuck'), 'is stuck in a handler: its connections wait. Restart the process if it does not return.'],
    [of('stalled'), 'is held up by a handler: its connections wait.'],
    [of('blocked'), 'is blocked by a wait of a handler: the thread pool serves its connections.'],
    [of('short'), 'gets no processor: the CPU quota is used up, or the machine is busy. No handler is to blame.'],
    [of('paused'), 'cannot accept: descriptors or memory have run out.'],
  ].filter(([ids]) => ids).map(([ids, what]) => `Reactor ${ids} ${what}`).join(' ');
}

function show(node, text) {
  say(node, text);
  node.hidden = !text;
}

let last = null;
let arrived = 0;
let isHeld = false;
function draw() {
  if (!last || isHeld || document.hidden) {
    return;
  }
  look();
  const { process, reactors } = last;
  say(byId('process'), [
    `${process.name} (${process.id}) on ${process.machine}`,
    last.transport === 'sockets' ? 'sockets' : `${last.transport}, ${plural(reactors.length, 'reactor')}`,
    plural(process.processors, 'processor'), process.runtime, process.system].join(' \u00b7 '));
  show(byId('transport'), last.transport === 'sockets' ? `The sockets transport serves. ${last.reason}` : last.reason);
  show(byId('problems'), problems(reactors));
  guarded('summary', () => drawSummary(process, reactors));
  guarded('reactors', () => drawReactors(reactors));
  guarded('endpoints', () => drawEndpoints(endpoints));
  guarded('errors', () => drawErrors(reactors));
  guarded('host', () => drawProcess(process, reactors));
  guarded('runtime', () => drawRuntime(process));
  guarded('libraries', () => texts.forEach((text, figure) => figure.draw(text)));
  hover.show();
}

// A fault in one section is shown there, and leaves the others.
function guarded(id, drawSection) {
  const section = byId(id);
  try {
    drawSection();
    section.querySelector(':scope > .fault')?.remove();
  } catch (error) {
    console.error(error);
    if (!section.querySelector(':scope > .fault')) {
      section.prepend(element('p', { className: 'fault notice bad' }));
    }
    section.hidden = false;
    say(section.querySelector(':scope > .fault'), `This part cannot be shown: ${error.message}`);
  }
}

function drawSummary(process, reactors) {
  card('summary', { name: 'requests', title: 'Requests', format: perSecond }).draw(
    known(perSecond, newest('requests')), `${whole.format(last.requests)} in all`);
  const [p50, p99] = all.ofMinute([0.5, 0.99]);
  card('summary', {
    name: 'p99', title: 'Latency', format: seconds, isLogarithmic: true,
    series: [{ name: 'p99', title: 'p99' }, { name: 'p50', title: 'p50', style: 'second' }],
  }).draw(known(seconds, p99), `p99 \u00b7 p50 ${known(seconds, p50)}`);
  const failed = card('summary', { name: 'serverErrors', title: 'Server errors', format: perSecond });
  failed.draw(known(perSecond, newest('serverErrors')), `${whole.format(errors.serverErrors)} in all`);
  failed.node.classList.toggle('failing', isHappening('serverErrors'));
  if (reactors.length > 0) {
    card('summary', { name: 'busySeconds', title: 'Reactors busy', format: percent, limit: 1 }).draw(
      known(percent, newest('busySeconds')), `${plural(newest('connections'), 'connection')}`);
  } else {
    card('summary', { name: 'cpuShare', title: 'Processors in use', format: count, series: [{ name: 'cpu' }] }).draw(
      known(value => value.toFixed(2), newest('cpu')), `of ${process.processors}`);
  }
}

function drawErrors(reactors) {
  const total = amount => `${whole.format(amount)} in all`;
  card('errors', { name: 'clientErrors', title: 'Client errors (4xx)', format: perSecond }).draw(
    known(perSecond, newest('clientErrors')), total(errors.clientErrors));
  card('errors', { name: 'aborted', title: 'Requests aborted by clients', format: perSecond }).draw(
    known(perSecond, newest('aborted')), total(errors.aborted));
  card('errors', { name: 'connectionErrors', title: 'Connections that failed', format: perSecond }).draw(
    known(perSecond, newest('connectionErrors')), errors.types || total(0));
  if (reactors.length > 0) {
    card('errors', { name: 'stalls', title: 'Stalls of reactors', format: count }).draw(count(newest('stalls')), 'since the start');
    card('errors', { name: 'acceptPauses', title: 'Pauses of accepting', format: count }).draw(count(newest('acceptPauses')), 'since the start');
    card('errors', { name: 'bufferExhaustions', title: 'Receives without a free buffer', format: count }).draw(
      count(newest('bufferExhaustions')), 'since the start');
  }
}

function drawProcess(process, reactors) {
  card('host', { name: 'cpu', title: 'Processors in use', format: count }).draw(
    known(value => value.toFixed(2), newest('cpu')), `of ${process.processors}`);
  card('host', { name: 'memory', title: 'Memory of the process', format: bytes }).draw(bytes(process.memoryBytes));
  if (reactors.length > 0) {
    card('host', { name: 'connections', title: 'Connections', format: count }).draw(count(newest('connections')));
    card('host', { name: 'receivedBytes', title: 'Received', format: bytesPerSecond }).draw(known(bytesPerSecond, newest('receivedBytes')));
    card('host', { name: 'sentBytes', title: 'Sent', format: bytesPerSecond }).draw(known(bytesPerSecond, newest('sentBytes')));
    card('host', { name: 'buffersTaken', title: 'Receive buffers taken', format: count }).draw(
      count(newest('buffersTaken')), `of ${count(reactors.reduce((sum, reactor) => sum + reactor.buffers, 0))}`);
  }
}

function drawRuntime(process) {
  card('runtime', { name: 'pause', title: 'Time in garbage collections', format: percent, least: 0.01 }).draw(
    known(percent, newest('pause')), `${seconds(process.pauseSeconds)} in all`);
  card('runtime', { name: 'collections', title: 'Collections', format: perSecond }).draw(
    known(perSecond, newest('collections')), `gen 0: ${count(process.gen0)}, 1: ${count(process.gen1)}, 2: ${count(process.gen2)}`);
  card('runtime', { name: 'heap', title: 'Managed heap', format: bytes }).draw(bytes(process.heapBytes));
  card('runtime', { name: 'allocated', title: 'Allocated', format: bytesPerSecond }).draw(known(bytesPerSecond, newest('allocated')));
  card('runtime', { name: 'poolThreads', title: 'Threads of the pool', format: count }).draw(count(process.poolThreads));
  card('runtime', { name: 'poolQueue', title: 'Work that waits for the pool', format: count }).draw(count(process.poolQueue));
  card('runtime', { name: 'poolItems', title: 'Work done by the pool', format: perSecond }).draw(known(perSecond, newest('poolItems')));
  card('runtime', { name: 'lockContentions', title: 'Waits for locks', format: perSecond }).draw(
    known(perSecond, newest('lockContentions')));
}

function status(state, text) {
  byId('status').dataset.state = state;
  say(byId('status'), text);
}

const address = `${base}/events`;
byId('dump').href = `${base}/dump`;
function connect() {
  const source = new EventSource(address);
  source.onmessage = message => {
    take(JSON.parse(message.data));
    status('live', isHeld ? 'live, held' : 'live');
    draw();
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      // The browser gives up on any answer but 200, and does not say what it was.
      explain();
      setTimeout(connect, 5000);
    } else {
      status('lost', 'connection lost, trying again');
    }
  };
}

async function explain() {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (answer.ok) {
      await answer.body.cancel();
    } else {
      const isText = (answer.headers.get('Content-Type') ?? '').startsWith('text/plain');
      status('lost', `refused (${answer.status}), trying again. ${isText ? (await answer.text()).trim() : ''}`);
    }
  } catch {
    status('lost', 'no connection, trying again');
  }
}

setInterval(() => {
  const silent = Math.floor((performance.now() - arrived) / 1000);
  if (last && silent >= 5 && byId('status').dataset.state === 'live') {
    status('lost', 'no figures come: the reactor of this connection is held up, or the process');
  }
}, 1000);

byId('hold').addEventListener('click', () => {
  isHeld = !isHeld;
  byId('hold').setAttribute('aria-pressed', String(isHeld));
  draw();
});
document.addEventListener('visibilitychange', draw);
connect();
