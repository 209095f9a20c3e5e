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

    [Theory]
    [MemberData(nameof(Numbers))]
    public void ABrokenRuntimeIsNoticed(int number, string name)
    {
        string? killer = _fixture.Build.Kill(number, Seeds);
        TestContext.Current.TestOutputHelper?.WriteLine($"{name}: {killer}");
        Assert.True(killer is not null, $"'{name}' lived through {Seeds} seeds.");
    }

    [Fact]
    public void TheRuntimeAsItIsIsNot() => Assert.Null(_fixture.Build.Kill(0, Seeds));

    /// <summary>One build for all of them.</summary>
    public sealed class Fixture : IDisposable
    {
        internal MutantBuild Build { get; } = MutantBuild.Make();

        public void Dispose() => Build.Delete();
    }
}
