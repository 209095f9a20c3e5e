using Ioxide.Mutation;

namespace Ioxide.Simulation;

/// <summary>What a mutation run keeps for the next one is of the faults that it ran and of the build that it made.</summary>
public sealed class ResultsTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ioxide-results-");

    [Fact]
    public void AFaultOfOtherChangesOrClassesIsNotKnown()
    {
        var fault = new Fault("Ioxide", "a name", [("Type.Member", "code", "other code")], "SomeTests");
        Read().Add(fault, "SomeTests.Fails");
        Assert.Equal("SomeTests.Fails", Read().NoticedBy(fault));
        Assert.False(Read().Has(fault with { Patches = [("Type.Member", "code", "third code")] }));
        Assert.False(Read().Has(fault with { Classes = ["OtherTests"] }));
    }

    [Fact]
    public void AClassIsNotKnownToPassInAnotherBuild()
    {
        Read().AddSound("SomeTests", seconds: 3);
        Assert.Equal(3, Read().SoundSeconds("SomeTests"));
        Read().ForgetSound();
        Assert.Null(Read().SoundSeconds("SomeTests"));
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private Results Read() => new(_folder.FullName, isFresh: false);
}
