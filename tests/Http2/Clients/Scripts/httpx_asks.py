# Requests by python3-httpx over HTTP/2. Prints what it saw.
import asyncio
import hashlib
import sys

import httpx


async def main(address):
    async with httpx.AsyncClient(http1=False, http2=True, verify=False, base_url=address, timeout=60) as client:
        hello = await client.get("/hello", headers={"x-sent": "yes"}, cookies={"c": "3"})
        print("hello", hello.http_version, hello.status_code, hello.text, hello.headers["x-seen"], hello.headers.get_list("set-cookie"))
        large = await client.get("/large")
        print("large", len(large.content), hashlib.sha256(large.content).hexdigest()[:16])
        body = b"abcdefg" * 100000
        print("echo", (await client.post("/echo", content=body)).content == body)

        async def pieces():
            for _ in range(100):
                yield b"x" * 1000

        print("pieces", len((await client.post("/echo", content=pieces())).content))
        print("empty", (await client.get("/empty")).status_code)
        print("missing", (await client.get("/missing")).status_code)
        print("fail", (await client.get("/fail")).status_code)
        try:
            await client.get("/abort")
        except httpx.RemoteProtocolError:
            print("abort")
        many = await asyncio.gather(*(client.post("/echo", content=b"y" * number) for number in range(50)))
        print("many", all(len(answer.content) == number for number, answer in enumerate(many)))


asyncio.run(main(sys.argv[1]))
