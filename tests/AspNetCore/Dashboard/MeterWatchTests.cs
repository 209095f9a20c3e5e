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

    [Fact]
    public void EqualMeasurementsOfOneReadingAddUp()
    {
        string name = $"Ioxide.Test.{Guid.NewGuid()}";
        using ServiceProvider services = new ServiceCollection().AddMetrics().BuildServiceProvider();
        IMeterFactory factory = services.GetRequiredService<IMeterFactory>();
        using var watch = new MeterWatch(factory);
        factory.Create(name).CreateObservableUpDownCounter<long>("level", static () => [new Measurement<long>(3), new Measurement<long>(4)]);
        for (int reading = 0; reading < 2; reading++)
        {
            watch.Read();
            Assert.Equal(7, Assert.Single(watch.Instruments.Single(figures => figures.Meter == name).Values()).Value);
        }
    }
}
