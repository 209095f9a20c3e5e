// A dialogue over one session of Node's http2. Prints what it saw.
import http2 from 'node:http2';
import { createHash } from 'node:crypto';

const session = http2.connect(process.argv[2], { rejectUnauthorized: false });
session.on('error', error => console.log('session error', error.code));

function ask(fields, body, act) {
    return new Promise(resolve => {
        const stream = session.request(fields, { endStream: body === undefined });
        const seen = { length: 0 };
        const hash = createHash('sha256');
        let text = '';
        stream.on('response', answer => { seen.status = answer[':status']; seen.answer = answer; act?.(stream); });
        stream.on('trailers', trailers => { seen.trailers = trailers; });
        stream.on('error', error => { seen.error = error.code; });
        stream.on('data', data => { seen.length += data.length; hash.update(data); text += data.length < 100 ? data.toString() : ''; });
        stream.on('close', () => { seen.code = stream.rstCode; seen.text = text; seen.hash = hash.digest('hex').slice(0, 16); resolve(seen); });
        if (body !== undefined) {
            stream.end(body);
        }
    });
}

const hello = await ask({ ':path': '/hello', 'x-sent': 'yes', cookie: ['c=3', 'd=4'] });
console.log('hello', hello.status, hello.text, hello.answer['x-seen'], hello.answer['set-cookie'].join(), hello.code);
const head = await ask({ ':path': '/large', ':method': 'HEAD' });
console.log('head', head.status, head.length, head.answer['content-length'], head.code);
const large = await ask({ ':path': '/large' });
console.log('large', large.status, large.length, large.hash, large.code);
const sent = Buffer.alloc(700000, 'abcdefg');
const echo = await ask({ ':path': '/echo', ':method': 'POST' }, sent);
console.log('echo', echo.status, echo.length, echo.hash === createHash('sha256').update(sent).digest('hex').slice(0, 16), echo.code);
const trailers = await ask({ ':path': '/trailers', ':method': 'POST' }, 'four');
console.log('trailers', trailers.text, trailers.trailers['x-sum'], trailers.code);
const empty = await ask({ ':path': '/empty' });
console.log('empty', empty.status, empty.length, empty.code);
console.log('missing', (await ask({ ':path': '/missing' })).status);
console.log('wrong method', (await ask({ ':path': '/echo' })).status);
console.log('fail', (await ask({ ':path': '/fail' })).status);
const abort = await ask({ ':path': '/abort' });
console.log('abort', abort.error, abort.code);
const reset = await ask({ ':path': '/reset' });
console.log('reset', reset.error, reset.code);
await ask({ ':path': '/wait' }, undefined, stream => stream.close(http2.constants.NGHTTP2_CANCEL));
while ((await ask({ ':path': '/aborted' })).text !== '1') {
}
console.log('given up');
const many = await Promise.all([...Array(90).keys()].map(number => ask({ ':path': '/echo', ':method': 'POST' }, 'x'.repeat(number * 100))));
console.log('many', many.every((answer, number) => answer.status === 200 && answer.length === number * 100));
const pinged = await new Promise(resolve => session.ping(Buffer.from('12345678'), (error, _, payload) => resolve(error ?? payload.toString())));
console.log('ping', pinged);
session.on('close', () => console.log('closed'));
session.close();
