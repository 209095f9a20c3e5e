using System.Data.Common;
using Npgsql;
using PgDbDataSource = Ioxide.Pg.Data.PgDbDataSource;

namespace Ioxide.Pg.Tests;

/// <summary>Both drivers, each with a database of its own, for programs.</summary>
internal sealed class AdoPair : IAsyncDisposable
{
    private readonly NpgsqlDataSource _npgsql;
    private readonly PgDbDataSource _ours;
    private readonly NpgsqlConnection[] _watchers;

    private AdoPair(NpgsqlDataSource npgsql, PgDbDataSource ours, NpgsqlConnection[] watchers)
    {
        _npgsql = npgsql;
        _ours = ours;
        _watchers = watchers;
    }

    internal static async Task<AdoPair> CreateAsync(PgFixture fixture, int number)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string[] databases = [await server.DatabaseAsync($"programs_npgsql_{number}"), await server.DatabaseAsync($"programs_ours_{number}")];
        var watchers = new NpgsqlConnection[databases.Length];
        for (int index = 0; index < databases.Length; index++)
        {
            await server.RunSqlAsync(AdoTexts.Start, databases[index], PgUsers.Trust);

            // Where two connections of a program wait for each other.
            await server.RunSqlAsync($"alter database \"{databases[index]}\" set lock_timeout = '100ms'", databases[index]);
            watchers[index] = new NpgsqlConnection(Databases.ForNpgsql(server, databases[index]));
            await watchers[index].OpenAsync();
            await ScalarAsync(watchers[index], "set lock_timeout = '20s'");
        }

        PgDataSource ours = await Databases.OpenAsync(fixture, databases[1]);
        var npgsql = NpgsqlDataSource.Create(
            Databases.ForNpgsql(server, databases[0]).Replace("Pooling=false", "Pooling=true", StringComparison.Ordinal) + ";Include Failed Batched Command=true;Command Timeout=60");
        return new AdoPair(npgsql, ours.AsDbDataSource(), watchers);
    }

    /// <summary>Runs a program on both. Null: they answer alike, or differ for reasons that let the program go on.</summary>
    /// <param name="program">What runs.</param>
    /// <param name="passed">Is told those reasons.</param>
    internal async Task<AdoDifference?> CompareAsync(AdoProgram program, Action<AdoRule>? passed = null)
    {
        List<AdoAnswer>[] answers = await Task.WhenAll(RunAsync(_npgsql, _watchers[0], program), RunAsync(_ours, _watchers[1], program));
        if (program.Steps.Any(static step => step.Verb == AdoVerb.Kill))
        {
            // They would hand the dead connection to the next program: Npgsql always, the facade where its end is on its way.
            _npgsql.Clear();
            _ours.Clear();
        }

        for (int index = 0; index < Math.Min(answers[0].Count, answers[1].Count); index++)
        {
            var difference = new AdoDifference(program, index, answers[0], answers[1]);
            if (difference.Expected == difference.Actual && difference.Expected != AdoRun.Hangs)
            {
                continue;
            }

            if (AdoDifferences.Of(difference) is not { Ends: false } known)
            {
                return difference;
            }

            passed?.Invoke(known);
        }

        return null;
    }

    /// <summary>The same difference by fewer steps.</summary>
    internal async Task<AdoDifference> ShrinkAsync(AdoDifference difference)
    {
        for (int index = difference.Program.Steps.Count - 1; index >= 0 && difference.Actual != AdoRun.Hangs; index--)
        {
            if (index >= difference.Program.Steps.Count)
            {
                continue;
            }

            AdoProgram fewer = difference.Program with { Steps = [.. difference.Program.Steps.Where((_, at) => at != index)] };
            if (await CompareAsync(fewer) is { } same && same.Kind == difference.Kind)
            {
                difference = same;
            }
        }

        return difference;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NpgsqlConnection watcher in _watchers)
        {
            await watcher.DisposeAsync();
        }

        await _npgsql.DisposeAsync();
    }

    private static async Task<List<AdoAnswer>> RunAsync(DbDataSource source, NpgsqlConnection watcher, AdoProgram program)
    {
        List<AdoAnswer> answers;
        await using (var run = new AdoRun(source, process => KillAsync(watcher, process)))
        {
            answers = await run.RunAsync(program);
        }

        if (answers.Count < program.Steps.Count)
        {
            return answers;
        }

        // A transaction that a program left open is rolled back in the background: the lock waits for it.
        try
        {
            answers.Add(new AdoAnswer(await ScalarAsync(watcher, "select take()")));
        }
        catch (PostgresException error)
        {
            answers.Add(new AdoAnswer($"! {error.SqlState}"));
        }

        return answers;
    }

    private static async Task KillAsync(NpgsqlConnection watcher, int process)
        => await ScalarAsync(watcher, $"select pg_terminate_backend({process}, 5000)::text");

    private static async Task<string> ScalarAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        return $"{await command.ExecuteScalarAsync()}";
    }
}
