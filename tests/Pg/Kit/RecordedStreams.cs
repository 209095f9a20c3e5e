using static Ioxide.Pg.Tests.FrontendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>Sessions with the real server that together hold every message that a server sends in them.</summary>
internal static class RecordedStreams
{
    private const string Types =
        """
        select true, 1::int2, -2::int4, 3::int8, 1.5::float4, 'NaN'::float8, 12345678901234567890.0123456789::numeric, 'text'::text,
        'x'::varchar, 'y'::char(3), '\x00ff'::bytea, '00112233-4455-6677-8899-aabbccddeeff'::uuid, date '2024-02-29', time '23:59:59.999999',
        timetz '12:00+02', timestamp 'infinity', timestamptz '2024-02-29 12:00+00', interval '1 mon 2 days 3 sec', '{"a":[1]}'::json,
        '{"b":null}'::jsonb, '10.0.0.1/8'::inet, '10.0.0.0/8'::cidr, '08:00:2b:01:02:03'::macaddr, b'101', b'101'::varbit, 12.34::money,
        26::oid, 'pg_class'::regclass, int4range(1, 5), '{[1,2),[5,9)}'::int4multirange, array[[1, null], [2, 3]], '{}'::text[],
        point '(1,2)', box '(1,2),(3,4)', null::int4, row(1, 'a')
        """;

    /// <summary>Runs each through a recording proxy. The same statements give the same messages but for process numbers and keys.</summary>
    internal static async Task<IReadOnlyList<RecordedStream>> CaptureAsync(PostgresServer server)
    {
        await using FaultProxy proxy = FaultProxy.StartRecording(server.EndPoint);
        var streams = new List<RecordedStream>();
        await RunAsync("simple", session => session.AskAsync(
            Query("select 1; select 'two', null; create temp table t(a int); insert into t values (1)")));
        await RunAsync("empty", session => session.AskAsync(Query("")));
        await RunAsync("types as text", session => session.AskAsync(Extended(Types, resultFormat: 0)));
        await RunAsync("types as binary", session => session.AskAsync(Extended(Types, resultFormat: 1)));
        await RunAsync("no rows, no columns", session => session.AskAsync(
            [.. Extended("set work_mem = '8MB'", 1), .. Extended("select 1 where false", 1)]), 2);
        await RunAsync("many rows", session => session.AskAsync(
            Extended("select i, repeat('x', i % 97), i * 1.25 from generate_series(1, 2000) i", 1)));
        await RunAsync("wide row", session => session.AskAsync(Extended("select repeat('x', 300000)", 1)));
        await RunAsync("errors", session => session.AskAsync(
            [.. Extended("select 1/(a - 1) from generate_series(3, 1, -1) a", 1), .. Extended("select nothing", 1), .. Extended("select 1", 1)]), 3);
        await RunAsync("notices", session => session.AskAsync(
            Query("do $$ begin raise notice 'hint' using hint = 'a hint', detail = 'a detail'; raise warning 'w'; end $$")));
        await RunAsync("notification", session => session.AskAsync(Query("listen c; notify c, 'payload'; set time zone 'Europe/Berlin'")));
        await RunAsync("suspended portal", session => session.AskAsync(
        [
            .. Parse("s", "select generate_series(1, 5)"), .. Bind("p", "s", 1), .. Execute("p", 2), .. Execute("p", 2), .. Execute("p", 2),
            .. Close('P', "p"), .. Close('S', "s"), .. Sync(),
        ]));
        await RunAsync("copy out", session => session.AskAsync(
            Query("copy (select i, 'row' from generate_series(1, 100) i) to stdout (format binary)")));
        await RunAsync("copy in", async session =>
        {
            await session.AskAsync(Query("create temp table t(a int)"));
            await session.SendAsync(Query("copy t from stdin"));
            await session.ReadUntilAsync('G');
            await session.AskAsync([.. CopyData("1\n2\n"u8), .. CopyDone()]);
        });
        return streams;

        async Task RunAsync(string name, Func<RawSession, Task> talk, int readies = 1)
        {
            int index = proxy.Connections;
            using (RawSession session = await RawSession.ConnectAsync(proxy.EndPoint).ConfigureAwait(false))
            {
                await talk(session).ConfigureAwait(false);
                for (int i = 1; i < readies; i++)
                {
                    await session.ReadUntilAsync('Z').ConfigureAwait(false);
                }

                await session.SendAsync(Terminate()).ConfigureAwait(false);
                Assert.Null(await session.ReadAsync().ConfigureAwait(false));
            }

            await Waits.Eventually(() => proxy.Links[index].IsOver, 20.Seconds()).ConfigureAwait(false);
            streams.Add(RecordedStream.Of(name, proxy.Links[index]));
        }
    }
}
