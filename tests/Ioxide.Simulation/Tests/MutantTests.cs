namespace Ioxide.Simulation;

/// <summary>The simulation finds mistakes: each of a list of broken runtimes is noticed.</summary>
public sealed class MutantTests : IClassFixture<MutantTests.Fixture>
{
    private const int Seeds = 2000;

    private readonly Fixture _fixture;

    public MutantTests(Fixture fixture) => _fixture = fixture;

    public static TheoryData<int, string> Numbers
    {
        get
        {
            var numbers = new TheoryData<int, string>();
            for (int number = 0; number < MutantCatalog.All.Length; number++)
            {
                numbers.Add(number + 1, MutantCatalog.All[number].Name);
            }

            return numbers;
        }
    }

    /// <summary>Their build is one of its own, the same in both configurations of this project.</summary>
    private static bool IsRelease =>
#if DEBUG
        false;
#else
        true;
#endif

    [Theory]
    [MemberData(nameof(Numbers))]
    public void ABrokenRuntimeIsNoticed(int number, string name)
    {
        SkipTheSecondTime();
        string? killer = _fixture.Build.Kill(number, Seeds);
        TestContext.Current.TestOutputHelper?.WriteLine($"{name}: {killer}");
        Assert.True(killer is not null, $"'{name}' lived through {Seeds} seeds.");
    }

    [Fact]
    public void TheRuntimeAsItIsIsNot()
    {
        SkipTheSecondTime();
        Assert.Null(_fixture.Build.Kill(0, Seeds));
    }

    private static void SkipTheSecondTime()
        => Assert.SkipWhen(IsRelease, "The mutants are built the same in both configurations; they run in Debug.");

    /// <summary>One build for all of them.</summary>
    public sealed class Fixture : IDisposable
    {
        private readonly Lazy<MutantBuild> _build = new(MutantBuild.Make);

        internal MutantBuild Build => _build.Value;

        public void Dispose()
        {
            if (_build.IsValueCreated)
            {
                _build.Value.Delete();
            }
        }
    }
}
