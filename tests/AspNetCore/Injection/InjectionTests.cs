using Ioxide.TestKit;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Requests are served while the kernel under the reactors fails now and then: every answer is right to the byte, no
/// connection is lost, nothing is left at the end, and each kind of fault was really injected.
/// </summary>
public class InjectionTests
{
    private const ulong Seed = 20_261_121;

    /// <summary>The names of the faults that this kernel lets a test inject.</summary>
    public static TheoryData<string> Faults { get; } = [.. InjectableFaults().Select(fault => $"{fault}")];

    [Fact]
    public async Task EveryAnswerIsRightWhileEveryKindOfFaultIsInjected()
    {
        const int ServerCount = 8;

        // Some calls are rare, so that in some runs it takes more servers until one of them fails.
        const int MaxServers = 10 * ServerCount;
        SkipUnlessInjectable();
        FaultCounts counts = new();
        for (int i = 0; i < ServerCount || (i < MaxServers && InjectableFaults().Any(fault => counts[fault] == 0)); i++)
        {
            await ServeAsync(new FaultyKernel(Seed + (ulong)i, FaultRates.Harsh(), counts), clientCount: 8);
        }

        TestContext.Current.TestOutputHelper!.WriteLine($"{counts.Total} faults were injected: {counts}");
        Assert.All(InjectableFaults(), fault => Assert.True(counts[fault] > 0, $"{fault} was never injected: {counts}"));
    }

    [Theory, MemberData(nameof(Faults))]
    public async Task EveryAnswerIsRightWhileOneKindOfFaultIsFrequent(string name)
    {
        SkipUnlessInjectable();
        Fault fault = Enum.Parse<Fault>(name);
        FaultCounts counts = new();
        FaultRates rates = RatesOf(fault);
        for (ulong i = 0; i < 10 && (i == 0 || counts[fault] == 0); i++)
        {
            await ServeAsync(new FaultyKernel(Seed + i, rates, counts), clientCount: 3);
        }

        Assert.True(counts[fault] > 0, "It was never injected.");
    }

    private static void SkipUnlessInjectable()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        Assert.SkipUnless(FaultSupport.CanInjectResults, "A NOP cannot be given a result here (Linux 6.10).");
    }

    private static IEnumerable<Fault> InjectableFaults()
        => Enum.GetValues<Fault>().Where(fault => FaultRates.Harsh()[fault] > 0 && fault switch
        {
            Fault.ReceiveEndsEarly => FaultSupport.CanLimitReceives,

            // Epoll has no wait for several completions with a limit of its own.
            Fault.EnterWaitsForOne => !TestKernel.IsEpoll,
            _ => true,
        });

    private static FaultRates RatesOf(Fault fault) => fault switch
    {
        // A descriptor is asked for where the count is not known.
        Fault.LookTableFull => new() { [Fault.CountUnknown] = 1000, [fault] = 300 },
        _ => new() { [fault] = 300 },
    };

    private static async Task ServeAsync(FaultyKernel kernel, int clientCount)
    {
        IReadOnlyList<Reactor> reactors;
        await using (TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Handler = InjectedTraffic.AnswerAsync,
            Ioxide = options => options.UseKernel(kernel),
        }))
        {
            reactors = server.Services.GetRequiredService<ReactorFleet>().GetOrStart()!.Reactors;
            await Task.WhenAll(Enumerable.Range(0, clientCount).Select(i => InjectedTraffic.RunAsync(server, i)))
                .Within(30.Seconds());
            await PostBetweenAsync(reactors);
            await Waits.Eventually(() => reactors.All(reactor => reactor.Load.Open == 0), 20.Seconds());
        }

        Assert.All(reactors, AssertHoldsNothing);
    }

    /// <summary>Work that a reactor posts to another runs there, also where waking it fails.</summary>
    private static async Task PostBetweenAsync(IReadOnlyList<Reactor> reactors)
    {
        const int Rounds = 50;
        for (int round = 0; round < Rounds; round++)
        {
            TaskCompletionSource ran = new(TaskCreationOptions.RunContinuationsAsynchronously);
            Reactor target = reactors[(round + 1) % reactors.Count];
            reactors[round % reactors.Count].Post(_ => target.Post(_ => ran.SetResult(), null), null);
            await ran.Task.Within(20.Seconds());
        }
    }

    private static void AssertHoldsNothing(Reactor reactor)
    {
        Assert.Equal((0, 0), (reactor.Operations.InFlight, reactor.Buffers.Small.TakenCount));
        Assert.Equal(0, reactor.Buffers.Bulk?.TakenCount ?? 0);
        Assert.Equal(reactor.Memory.SmallBlocks.CreatedCount, reactor.Memory.SmallBlocks.HomeCount);
        Assert.Equal(reactor.Memory.LargeBlocks.CreatedCount, reactor.Memory.LargeBlocks.HomeCount);
    }
}
