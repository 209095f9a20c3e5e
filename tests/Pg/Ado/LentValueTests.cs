using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>A stream or text reader of a value: one at a time, and until the row or the reader ends, on the facade as on Npgsql.</summary>
public class LentValueTests
{
    [Theory, AllValues]
    public Task AValueHasOneAtATime(bool isText) => DataPair.EachAsync<LentValueTests>("select 1", async connection =>
    {
        await using DbDataReader reader = await ReaderAsync(connection);
        IDisposable first = Open(reader, isText);
        Assert.Throws<InvalidOperationException>(() => Open(reader, isText));
        first.Dispose();
        using IDisposable second = Open(reader, isText);
        Assert.Equal('1', Read(second));
    });

    [Theory, AllValues]
    public Task ItEndsWithItsRow(bool isText) => DataPair.EachAsync<LentValueTests>("select 1", async connection =>
    {
        await using DbDataReader reader = await ReaderAsync(connection);
        using IDisposable first = Open(reader, isText);
        Assert.True(await reader.ReadAsync());
        Assert.Throws<ObjectDisposedException>(() => Read(first));
        using IDisposable second = Open(reader, isText);
        Assert.False(await reader.ReadAsync());
        Assert.Throws<ObjectDisposedException>(() => Read(second));
    });

    [Fact]
    public Task ItEndsWithItsReader() => DataPair.EachAsync<LentValueTests>("select 1", async connection =>
    {
        DbDataReader reader = await ReaderAsync(connection);
        Stream stream = await reader.GetFieldValueAsync<Stream>(1);
        await reader.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
    });

    private static IDisposable Open(DbDataReader reader, bool isText) => isText ? reader.GetTextReader(0) : reader.GetStream(1);

    private static int Read(IDisposable opened) => opened is TextReader text ? text.Read() : ((Stream)opened).ReadByte();

    private static Task<DbDataReader> ReaderAsync(DbConnection connection)
        => connection.FirstRowAsync("select i || 'a', (i || 'a')::bytea from generate_series(1, 2) i");
}
