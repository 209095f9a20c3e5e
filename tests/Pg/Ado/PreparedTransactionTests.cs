using System.Data.Common;
using System.Net;
using System.Transactions;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>A transaction of several participants, whose part on the server is prepared first. It outlives its connection there.</summary>
public sealed class PreparedTransactionTests : IAsyncDisposable
{
    private const string Kept = "select count(*) from kept", Prepared = "select count(*) from pg_prepared_xacts";

    private PostgresServer? _server;

    /// <summary>Other tests count descriptors: the reactors of the process must not outlive the test.</summary>
    public async ValueTask DisposeAsync()
    {
        await ProcessReactors.StopAsync();
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }
    }

    /// <summary>Else it would keep its locks, and the scope has said that it is committed.</summary>
    [Theory, AllValues]
    public async Task IsEndedAlsoWhereItsConnectionIsLost(bool commits)
    {
        PostgresServer server = await StartAsync();
        using (DbConnection connection = new PgDbConnection(TextOf(server.EndPoint)))
        {
            Exception? error = Record.Exception(() => InAScope(connection, commits, prepared: () =>
                server.RunSqlAsync("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kept'")
                    .GetAwaiter().GetResult()));
            Assert.Equal(commits, error is null);
        }

        Assert.Equal("0", await server.RunSqlAsync(Prepared));
        Assert.Equal(commits ? "1" : "0", await server.RunSqlAsync(Kept));
    }

    [Fact]
    public async Task IsRolledBackWhereItsAnswerIsLost()
    {
        PostgresServer server = await StartAsync();
        FaultProxy control = FaultProxy.StartRecording(server.EndPoint);
        await using (control)
        {
            using DbConnection connection = new PgDbConnection(TextOf(control.EndPoint));
            InAScope(connection, commits: true);
        }

        int answer = control.Links[0].Recorded(Direction.ToClient).AsSpan().IndexOf("PREPARE TRANSACTION"u8);
        Assert.Equal("1", await server.RunSqlAsync(Kept));
        await using FaultProxy proxy = FaultProxy.Start(server.EndPoint, ProxyFault.CutAfter(Direction.ToClient, answer).On(0));
        using (DbConnection connection = new PgDbConnection(TextOf(proxy.EndPoint)))
        {
            _ = Assert.Throws<TransactionAbortedException>(() => InAScope(connection, commits: true));
        }

        Assert.Equal(2, proxy.Connections);
        Assert.Equal("0", await server.RunSqlAsync(Prepared));
        Assert.Equal("1", await server.RunSqlAsync(Kept));
    }

    private static void InAScope(DbConnection connection, bool commits, Action? prepared = null)
    {
        using var scope = new TransactionScope();
        connection.Open();
        using (DbCommand command = connection.CreateCommand())
        {
            command.CommandText = "insert into kept values (1)";
            Assert.Equal(1, command.ExecuteNonQuery());
        }

        Transaction.Current!.EnlistVolatile(new Vote(commits, prepared), EnlistmentOptions.None);
        scope.Complete();
    }

    private async Task<PostgresServer> StartAsync()
    {
        _server = await PostgresServer.StartAsync(new PostgresServerOptions { Settings = new Dictionary<string, string> { ["max_prepared_transactions"] = "10" } });
        await _server.RunSqlAsync("create table kept (x int)");
        return _server;
    }

    private static string TextOf(EndPoint endPoint)
    {
        var ip = (IPEndPoint)endPoint;
        return $"Host={ip.Address};Port={ip.Port};Username={PgUsers.Super};Database=postgres;Application Name=kept;SSL Mode=Disable";
    }

    /// <summary>A second participant, which is asked behind the connection.</summary>
    private sealed class Vote(bool commits, Action? asked) : IEnlistmentNotification
    {
        public void Prepare(PreparingEnlistment preparingEnlistment)
        {
            asked?.Invoke();
            if (commits)
            {
                preparingEnlistment.Prepared();
            }
            else
            {
                preparingEnlistment.ForceRollback();
            }
        }

        public void Commit(Enlistment enlistment) => enlistment.Done();

        public void Rollback(Enlistment enlistment) => enlistment.Done();

        public void InDoubt(Enlistment enlistment) => enlistment.Done();
    }
}
