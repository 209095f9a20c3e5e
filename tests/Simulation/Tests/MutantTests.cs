using Ioxide.Mutation;
using Ioxide.TestKit;

namespace Ioxide.Simulation;

/// <summary>The simulation finds mistakes: each of a list of broken runtimes is noticed.</summary>
/// <remarks>Slow: a fault that makes the runtime hang is noticed after 15 to 30 s.</remarks>
[OnRequest("./test.sh MutantTests")]
public sealed class MutantTests : IClassFixture<MutantTests.Fixture>
{
    private readonly Fixture _fixture;

    public MutantTests(Fixture fixture) => _fixture = fixture;

    public static TheoryData<int, string> Numbers => new(FaultCatalog.Simulated.Select(static fault => (FaultCatalog.NumberOf(fault), fault.Name)));

    /// <summary>Their build is one of its own, the same in both configurations of this project.</summary>
    private static bool IsRelease =>
#if DEBUG
        false;
#else
        true;
#endif

    [Theory, MemberData(nameof(Numbers))]
    public async Task ABrokenRuntimeIsNoticed(int number, string name)
    {
        SkipTheSecondTime();
        string? killer = await _fixture.KillAsync(number);
        TestContext.Current.TestOutputHelper?.WriteLine($"{name}: {killer}");
        Assert.True(killer is not null, $"'{name}' lived through all seeds.");
    }

    [Fact]
    public async Task TheRuntimeAsItIsIsNot()
    {
        SkipTheSecondTime();
        Assert.Null(await _fixture.KillAsync(0));
    }

    private static void SkipTheSecondTime()
        => Assert.SkipWhen(IsRelease, "The mutants are built the same in both configurations; they run in Debug.");

    /// <summary>One build for all of them. Each run is one thread, so that as many run at once as there are processors.</summary>
    public sealed class Fixture : IDisposable
    {
        private readonly Lazy<SimulatedCopy> _build = new(SimulatedCopy.Make);
        private readonly Dictionary<int, Task<string?>> _runs = [];

        /// <summary>What killed a mutant. Those that follow it are run meanwhile: their tests will ask, too.</summary>
        internal Task<string?> KillAsync(int number)
        {
            // Those behind 0, the runtime as it is, are faults that this copy does not have.
            int last = number == 0 ? 0 : Math.Min(number + Environment.ProcessorCount - 1, FaultCatalog.All.Length);
            for (int next = number; next <= last; next++)
            {
                int started = next;
                if (!_runs.ContainsKey(next))
                {
                    _runs.Add(next, Task.Run(() => _build.Value.Run(started)));
                }
            }

            return _runs[number];
        }

        public void Dispose()
        {
            // Those that no test asked for: a filter may have left them out.
            Task.WaitAll([.. _runs.Values]);
            if (_build.IsValueCreated)
            {
                _build.Value.Dispose();
            }
        }
    }
}
