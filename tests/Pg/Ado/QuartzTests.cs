using System.Data.Common;
using Quartz;

namespace Ioxide.Pg.Tests;

/// <summary>Quartz, a scheduler of jobs, with its job store on the facade's data source.</summary>
[Once]
public class QuartzTests : PgTests
{
    private static readonly TaskCompletionSource<string?> s_ran = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public sealed class Job : IJob
    {
        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken)
        {
            s_ran.TrySetResult(context.MergedJobDataMap.GetString("name"));
            return ValueTask.CompletedTask;
        }
    }

    [Fact]
    public async Task AJobThatOneSchedulerStoresRunsInAnother()
    {
        PgDataSource source = await Databases.OpenAsync<QuartzTests>(Fixture);
        await using (DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync())
        {
            await connection.NonQueryAsync(Script("create_postgres.sql"));
        }

        IScheduler first = await SchedulerAsync(source);
        IJobDetail job = JobBuilder.Create<Job>().WithIdentity("job").UsingJobData("name", "a;b").Build();
        ITrigger trigger = TriggerBuilder.Create().WithIdentity("trigger").StartNow().Build();
        await first.ScheduleJob(job, trigger);
        await first.Shutdown();
        Assert.Equal(1L, await source.Query(source.Statement("select count(*) from qrtz_triggers")).ScalarAsync<long>());

        IScheduler second = await SchedulerAsync(source);
        await second.Start();
        Assert.Equal("a;b", await s_ran.Task.WaitAsync(TimeSpan.FromSeconds(30)));
        await second.Shutdown(waitForJobsToComplete: true);
        Assert.Equal(0L, await source.Query(source.Statement("select count(*) from qrtz_triggers")).ScalarAsync<long>());
    }

    /// <summary>ProvisionSchema is not for the facade: it asks for a column that is missing, and commits the transaction that this failed.</summary>
    [Fact]
    public async Task TheSchemaIsNotProvided()
    {
        PgDataSource source = await Databases.OpenAsync(Fixture, await (await PostgresServer.SharedAsync()).DatabaseAsync("quartz without tables"));
        JobPersistenceException error = await Assert.ThrowsAsync<JobPersistenceException>(() => SchedulerAsync(source, static store => store.ProvisionSchema()));
        Assert.IsType<InvalidOperationException>(error.InnerException);
    }

    private static async Task<IScheduler> SchedulerAsync(PgDataSource source, Action<IPersistentStoreBuilder>? configure = null) =>
        await QuartzSchedulerBuilder.Create(quartz => quartz.UsePersistentStore(store =>
        {
            store.UsePostgres(options => options.DataSourceFactory = _ => source.AsDbDataSource());
            configure?.Invoke(store);
        })).BuildScheduler();

    private static string Script(string name)
    {
        using Stream script = typeof(IScheduler).Assembly.GetManifestResourceStream($"Quartz.Impl.AdoJobStore.Schema.{name}")!;
        using StreamReader reader = new(script);
        return reader.ReadToEnd().Replace("{0}", "qrtz_", StringComparison.Ordinal).Replace("{1}", "qrtz_", StringComparison.Ordinal);
    }
}
