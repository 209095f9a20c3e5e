using System.Runtime.CompilerServices;
using Ioxide.Pg.Data;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Pg.Tests;

/// <summary>A connection that is not returned is named with the call that opened it, if that is asked for.</summary>
public class LeaseHolderTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task TheExceptionOfAnExhaustedPoolNamesTheHolders()
    {
        PgDataSource db = await OpenAsync(Fixture, max: 2);
        await using PgSession session = await OpenOneAsync(db);
        await using PgDbConnection connection = OpenAnother(db);

        string message = (await Assert.ThrowsAsync<PgPoolExhaustedException>(() => db.OpenSessionAsync().AsTask().Within(20.Seconds()))).Message;
        string[] lines = message.Split('\n');

        Assert.Equal(3, lines.Length);
        Assert.Matches($@"^Taken \d+\.\d s ago at .*{nameof(OpenOneAsync)}.* in .*{nameof(LeaseHolderTests)}\.cs:line \d+", lines[1]);
        Assert.Matches($@"^Taken \d+\.\d s ago at .*{nameof(OpenAnother)}.* in .*{nameof(LeaseHolderTests)}\.cs:line \d+", lines[2]);
    }

    [Fact]
    public async Task WhoReturnedItsConnectionIsNotNamedAndTheListIsShort()
    {
        PgDataSource db = await OpenAsync(Fixture, max: 12);
        for (int i = 0; i < 5; i++)
        {
            await (await db.OpenSessionAsync().AsTask().Within(20.Seconds())).DisposeAsync();
        }

        PgSession[] held = await Task.WhenAll(Enumerable.Range(0, 12).Select(_ => db.OpenSessionAsync().AsTask())).Within(60.Seconds());
        string message = (await Assert.ThrowsAsync<PgPoolExhaustedException>(() => db.OpenSessionAsync().AsTask().Within(20.Seconds()))).Message;
        Assert.Equal(10, message.Split('\n').Count(static line => line.StartsWith("Taken ", StringComparison.Ordinal)));
        Assert.EndsWith("\nand 2 more", message, StringComparison.Ordinal);

        foreach (PgSession session in held)
        {
            await session.DisposeAsync();
        }

        Assert.Equal("", db.Holders!.ToString());
    }

    [Fact]
    public async Task ASessionThatIsCollectedIsLoggedWithItsCall()
    {
        using var log = new EventLog();
        PgDataSource db = await OpenAsync(Fixture, max: 2, log);
        await Task.Run(() => Forget(db));
        await (await db.OpenSessionAsync().AsTask().Within(20.Seconds())).DisposeAsync();
        await Waits.Eventually(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return log.Count("LeaseNotDisposed") > 0;
            },
            20.Seconds());

        Assert.Equal(1, log.Count("LeaseNotDisposed"));
        Assert.Contains(log.Texts, static text => text.Contains(nameof(Forget), StringComparison.Ordinal));
        Assert.Contains("collected without being disposed", db.Holders!.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Development", null, true)]
    [InlineData("Development", "Trace Leases=false", false)]
    [InlineData("Production", null, false)]
    [InlineData("Production", "Trace Leases=true", true)]
    public async Task ItIsOnInDevelopment(string environment, string? setting, bool isOn)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { EnvironmentName = environment });
        builder.Services.AddIoxidePg($"Host=127.0.0.1;Port=1;{setting}");
        using IHost host = builder.Build();
        Assert.Equal(isOn, host.Services.GetRequiredService<PgDataSource>().Holders is not null);
        await ((IAsyncDisposable)host).DisposeAsync();
    }

    [Fact]
    public async Task OffItCostsNothing()
    {
        PgDataSource db = await TestDatabase.OpenAsync<LeaseHolderTests>(Fixture, static _ => { });
        Assert.Null(db.Holders);
        await using PgSession session = await db.OpenSessionAsync().AsTask().Within(20.Seconds());
        Assert.Null(session.Lease);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<PgSession> OpenOneAsync(PgDataSource db) => await db.OpenSessionAsync().AsTask().Within(20.Seconds());

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static PgDbConnection OpenAnother(PgDataSource db) => (PgDbConnection)db.AsDbDataSource().OpenConnection();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(PgDataSource db) => db.AsDbDataSource().OpenConnection();

    private static async Task<PgDataSource> OpenAsync(PgFixture fixture, int max, EventLog? log = null)
    {
        PgDataSource db = await TestDatabase.OpenAsync<LeaseHolderTests>(
            fixture,
            options =>
            {
                options.TraceLeases = true;
                options.MaxPerReactor = max;
                options.QueueTimeout = 3.Seconds(); // Twelve connections are opened within it, also where processors are short.
            },
            log: log);
        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().AsTask().Within(20.Seconds()));
        return db;
    }
}
