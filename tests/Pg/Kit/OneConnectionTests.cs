namespace Ioxide.Pg.Tests;

/// <summary>Tests with one connection on one reactor.</summary>
public abstract class OneConnectionTests : SourceTests
{
    private protected OneConnectionTests() : base(hasOneConnection: true)
    {
    }
}
