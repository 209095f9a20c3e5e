using System.Buffers;
using System.Data.Common;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>Mutated answers through a whole connection: every caller is told something, and nothing is left.</summary>
/// <remarks>Takes 25 s: a thousand connections in Release.</remarks>
public class ConnectionFuzzTests : PgTests
{
    private const int AtOnce = 16;

    private static readonly int s_rounds = Scale.Of(1_000);

    private static readonly byte[] s_welcome = [.. Welcome().SelectMany(static message => message)];

    [Fact]
    public async Task MutatedAnswersNeverHangACallerOrLeaveAConnection()
    {
        int seed = TestSeed.Next();
        var random = new Random(seed);
        byte[][] answers = Answers();
        byte[][][] mutated = [.. Enumerable.Range(0, s_rounds).Select(_ => Mutate(random, answers))];
        int next = -1;
        await using FakeServer server = FakeServer.Start(_ =>
        {
            byte[][] script = mutated[Interlocked.Increment(ref next) % s_rounds];
            Script steps = new Script().ExpectStartup().Send(script[0]);
            steps.ExpectUntil('H').Send(script[1]);
            return script.Skip(2).Aggregate(steps, static (steps, answer) => steps.ExpectUntil('S').Send(answer)).End();
        });
        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(async caller =>
        {
            for (int i = caller; i < s_rounds; i += AtOnce)
            {
                await RunAsync(Fixture, server.Port, i).Within(30.Seconds(), $"round {i} of seed {seed}");
            }
        }));
    }

    private static byte[][] Answers()
    {
        byte[] description = [.. ParseComplete(), .. ParameterDescription(), .. RowDescription(("a", Int4, 0), ("b", Text, 0))];
        byte[] rows =
        [
            .. BindComplete(), .. DataRow([0, 0, 0, 1], "one"u8.ToArray()), .. NoticeResponse("00000", "by the way"), .. DataRow([0, 0, 0, 2], null),
            .. CommandComplete("SELECT 2"), .. ReadyForQuery(),
        ];
        byte[] error = [.. BindComplete(), .. ErrorResponse("22012", "division by zero"), .. ReadyForQuery()];
        return [description, rows, error, rows];
    }

    private static byte[][] Mutate(Random random, byte[][] answers)
    {
        int which = random.Next(answers.Length + 1);
        return
        [
            which == 0 ? Mutation.Of(random, s_welcome) : s_welcome,
            .. answers.Select((answer, i) => which == i + 1 || random.Next(8) == 0 ? Mutation.Of(random, answer) : answer),
        ];
    }

    private static async Task RunAsync(PgFixture fixture, int port, int round)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=127.0.0.1;Port={port};Username=u;Database=d;SSL Mode=Disable");
        TestDatabase.OneConnection(options);
        options.CommandTimeout = 300.Milliseconds();
        options.ConnectTimeout = 2.Seconds();
        options.CancelTimeout = 100.Milliseconds();
        options.ReconnectDelay = 1.Milliseconds();
        options.MaxMessageBytes = 64 * 1024;
        await using PgDataSource db = PgDataSource.Create(options, fixture.Group);
        PgStatement statement = PgStatement.Create("select a, b"u8);
        Task[] commands = round % 3 == 0
            ? [StreamAsync(db, statement)]
            : [.. Enumerable.Range(0, 3).Select(_ => db.Query(statement).ListAsync(static row => (row.GetInt32(0), row.GetString(1))).AsTask())];
        foreach (Task command in commands)
        {
            try
            {
                await command;
            }
            catch (Exception exception) when (exception is DbException or PgTypeException or ObjectDisposedException or NotSupportedException)
            {
                // Told. The last is for an answer that begins a COPY to the client.
            }
        }
    }

    private static async Task StreamAsync(PgDataSource db, PgStatement statement)
    {
        await using PgRows rows = await db.Query(statement).RowsAsync();
        while (await rows.NextBatchAsync())
        {
            foreach (PgRow row in rows.Batch)
            {
                _ = row.GetUtf8(1).Length;
            }
        }
    }
}
