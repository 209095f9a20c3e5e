using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Several hosts may run in one process, each with a meter factory of its own.</summary>
public class MeterWatchTests
{
    [Fact]
    public void OnlyTheMetersOfItsOwnHostAreWatched()
    {
        string name = $"Ioxide.Test.{Guid.NewGuid()}";
        using ServiceProvider own = new ServiceCollection().AddMetrics().BuildServiceProvider();
        using ServiceProvider other = new ServiceCollection().AddMetrics().BuildServiceProvider();
        using var unscoped = new Meter(name);
        IMeterFactory factory = own.GetRequiredService<IMeterFactory>();
        using var watch = new MeterWatch(factory);

        unscoped.CreateCounter<long>("unscoped");
        factory.Create(name).CreateCounter<long>("own");
        other.GetRequiredService<IMeterFactory>().Create(name).CreateCounter<long>("other");

        Assert.Equal(["own", "unscoped"], watch.Instruments.Where(figures => figures.Meter == name).Select(static figures => figures.Name).Order());
    }
}
