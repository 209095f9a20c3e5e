using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;

namespace Ioxide.Files.Tests;

/// <summary>End points, sites and options change while the front door is in use; from then on it answers what the pipeline does now.</summary>
public class ChangingEndpointsTests
{
    [Fact]
    public async Task WhatIsAddedLaterIsLeftToThePipelineAtOnceAndGivenBackWhenItGoes()
    {
        using TestFolder site = MakeSite();
        using AddedEndpoints added = new();
        await using BothDoors doors = await StartAsync(site, added);
        for (int round = 0; round < 3; round++)
        {
            await doors.UntilOpenAsync("/private/secret.txt");
            await doors.AssertSameAsync("/private/secret.txt", isAtDoor: true);

            added.Set("/private/{**rest}");
            await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
            await doors.UntilOpenAsync("/a.txt");
            await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);

            added.Set();
        }
    }

    [Fact]
    public async Task EveryAnswerAfterAChangeIsTheNewEndPoints()
    {
        const int Changes = 200;
        using TestFolder site = MakeSite();
        using AddedEndpoints added = new();
        await using BothDoors doors = await StartAsync(site, added);
        for (int change = 0; change < Changes; change++)
        {
            added.Set("/private/{**rest}");
            await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
            added.Set();
        }

        await doors.UntilOpenAsync("/private/secret.txt");
    }

    [Fact]
    public async Task APlanThatAChangeOvertakesIsThrownAway()
    {
        using TestFolder site = MakeSite();
        using AddedEndpoints added = new();
        using SemaphoreSlim hasRead = new(0), mayPlan = new(0);
        await using BothDoors doors = await StartAsync(site, added);

        // The pipeline reads the end points with its first request.
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: true);
        added.OnRead = () =>
        {
            hasRead.Release();
            mayPlan.Wait();
        };
        try
        {
            // A plan is made without the end point, which comes meanwhile.
            added.Set();
            await hasRead.WaitAsync().Within(60.Seconds());
            added.Set("/private/{**rest}");
            mayPlan.Release();

            // The next plan has begun, so the first is done with.
            await hasRead.WaitAsync().Within(60.Seconds());
            await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
        }
        finally
        {
            added.OnRead = null;
            mayPlan.Release();
        }

        await doors.UntilOpenAsync("/a.txt");
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
    }

    [Fact]
    public async Task ASourceThatThrowsShutsTheDoorForGood()
    {
        using TestFolder site = MakeSite();
        using AddedEndpoints added = new();
        added.Set("/private/{**rest}");
        await using BothDoors doors = await StartAsync(site, added);
        await doors.AssertSameAsync("/a.txt", isAtDoor: true);
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);

        added.Failure = new InvalidOperationException("The source is broken.");
        Assert.ThrowsAny<Exception>(added.Announce);
        await doors.AssertSameAsync("/a.txt", isAtDoor: false);
        await doors.UntilWarnedAsync("The source is broken.");

        // The framework's routing does not see this change any more.
        added.Failure = null;
        added.Set();
        await doors.Files.ReloadAsync();
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
        await doors.AssertSameAsync("/a.txt", isAtDoor: false);
    }

    [Fact]
    public async Task AFileThatIsAddedIsAskedForToo()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(app =>
        {
            app.MapIoxideFiles("/", site.Path, static options => options.WatchForChanges = false);
            app.MapGet("/{id:int}.txt", static () => "end point");
        });
        site.With("5.txt", "five").With("b.txt", "b");
        await doors.Files.ReloadAsync();
        await doors.UntilOpenAsync("/b.txt");
        await doors.AssertSameAsync("/b.txt", isAtDoor: true);
        await doors.AssertSameAsync("/5.txt", isAtDoor: false);
    }

    private static TestFolder MakeSite() => new TestFolder().With("a.txt", "a").With("private/secret.txt", "secret");

    private static Task<BothDoors> StartAsync(TestFolder site, AddedEndpoints added) => BothDoors.StartAsync(app =>
    {
        app.MapIoxideFiles("/", site.Path, static options => options.WatchForChanges = false);
        ((IEndpointRouteBuilder)app).DataSources.Add(added);
    });
}
