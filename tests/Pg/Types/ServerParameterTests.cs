using System.Net;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>Parameters of every kind are bound on a real server with the type and form that their codecs name, and come back as text.</summary>
public class ServerParameterTests
{
    [Fact]
    public async Task TheServerTakesEveryParameter()
    {
        PgCodec.RegisterEnum<Mood>();
        PgCodec.Register(new PairCodec());
        PgCodec.Register(new BlobCodec());
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<ServerParameterTests>();
        await server.RunSqlAsync(
            "do $$ begin create type mood as enum ('sad', 'very_happy'); create type pair as (n int, t varchar(20)); create type blob as (b bytea); exception when others then end $$",
            database);
        using RawSession session = await RawSession.ConnectAsync(server.UnixEndPoint, database);

        await Check(session, "$1", "a'b\"\u00e4", "a'b\"\u00e4");
        await Check(session, "$1 + 1::int8", 41, "42");
        await Check(session, "$1::date", "2024-02-29", "2024-02-29");
        await Check(session, "$1", 12.50m, "12.50");
        await Check(session, "$1", PgNumeric.Parse("NaN"), "NaN");
        await Check(session, "$1", new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), "2024-02-29 01:02:03+00");
        await Check(session, "$1", new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Local), "2024-02-29 01:02:03");
        await Check(session, "$1::bytea", new ReadOnlyMemory<byte>([1, 255]), "\\x01ff");
        await Check(session, "upper($1)", new ReadOnlyMemory<byte>("abc"u8.ToArray()), "ABC");
        await Check(session, "$1::mood", Mood.VeryHappy, "very_happy");
        await Check(session, "$1::mood[]", new Mood?[] { Mood.Sad, null }, "{sad,NULL}");
        await Check(session, "$1::pair", new Pair(7, "a \"b\" \\ (,)"), "(7,\"a \"\"b\"\" \\\\ (,)\")");
        await Check(session, "$1::pair", new Pair(7, null), "(7,)");
        await Check(session, "$1::blob", new Blob("\\x41"u8.ToArray()), "(\"\\\\x5c783431\")");
        await Check(session, "(select string_agg(x, '|') from unnest($1) x)", (string[])["a,b", "c\""], "a,b|c\"");
        await Check(session, "$1", new[,] { { 1, 2 }, { 3, 4 } }, "{{1,2},{3,4}}");
        await Check(session, "$1", new PgArray<int?>([1, null], [2], [0]), "[0:1]={1,NULL}");
        await Check(session, "$1", PgRange.From(new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc)), "[\"2024-01-01 00:00:00+00\",)");
        await Check(session, "$1", new[] { new PgRange<int>(1, true, 3, false), new PgRange<int>(5, true, 7, false) }, "{[1,3),[5,7)}");
        await Check(session, "$1", IPNetwork.Parse("10.0.0.0/8"), "10.0.0.0/8");
        await Check(session, "$1", JsonDocument.Parse("{\"a\":1}"), "{\"a\": 1}");
        await Check(session, "$1", new PgBox(new PgPoint(3, 4), new PgPoint(1, 2)), "(3,4),(1,2)");
        await Check(session, "$1", TimeSpan.FromHours(-30), "-1 days -06:00:00");
        await Check(session, "$1::real[]", (float[])[1.5f], "{1.5}");
    }

    /// <summary>Parse, Bind, Execute, Sync; the result is asked for as text.</summary>
    private static async Task Check<T>(RawSession session, string expression, T value, string expected)
    {
        PgCodec<T> codec = PgCodec.For<T>();
        byte[] wire = new byte[codec.Measure(value)];
        codec.Write(value, wire);
        byte[] bind = new MessageBuilder().Text("").Text("").Int16(1).Int16((short)codec.ParameterFormat).Int16(1).Int32(wire.Length).Bytes(wire)
            .Int16(0).Build('B');
        byte[] sql = FrontendMessages.Parse("", $"select {expression}", codec.TypeIdOf(value));
        IReadOnlyList<WireMessage> answer = await session.AskAsync([
            .. FrontendMessages.Query("set timezone = 'UTC'"), .. sql, .. bind, .. FrontendMessages.Execute(""), .. FrontendMessages.Sync()]);
        answer = await session.ReadUntilAsync('Z');
        WireMessage row = answer.FirstOrDefault(message => message.Type == 'D')
            ?? throw new InvalidOperationException($"{expression} with {typeof(T)}: {string.Join(' ', answer.Select(m => Encoding.UTF8.GetString(m.Body)))}");
        Assert.Equal(expected, Encoding.UTF8.GetString(row.Body.AsSpan(6)));
    }

    private enum Mood
    {
        Sad,
        VeryHappy,
    }

    private sealed record Blob(ReadOnlyMemory<byte> Bytes);

    private sealed record Pair(int Number, string? Text);

    private sealed class BlobCodec : PgCompositeCodec<Blob>
    {
        protected override void Write(Blob value, ref PgCompositeWriter writer) => writer.Write(value.Bytes);

        protected override Blob Read(ref PgCompositeReader reader) => new(reader.Read<ReadOnlyMemory<byte>>());
    }

    private sealed class PairCodec : PgCompositeCodec<Pair>
    {
        protected override void Write(Pair value, ref PgCompositeWriter writer)
        {
            writer.Write(value.Number);
            writer.Write(value.Text);
        }

        protected override Pair Read(ref PgCompositeReader reader) => new(reader.Read<int>(), reader.Read<string?>());
    }
}
