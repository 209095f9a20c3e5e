namespace Ioxide.Tls.Tests;

/// <summary>Which keys open tickets as time passes. A lifetime of two hours is two turns of one.</summary>
public class TicketKeysTests
{
    private static readonly TimeSpan s_lifetime = TimeSpan.FromHours(2);

    [Theory]
    [InlineData(0, true)]
    [InlineData(59, true)]
    [InlineData(60, false)]
    [InlineData(119, false)]
    public void AKeyOpensItsTicketsForALifetime(int minutes, bool isCurrent) => Assert.Equal(isCurrent, FindAfter(TimeSpan.FromMinutes(minutes)));

    /// <summary>Also where nobody came meanwhile, so that no turn was taken.</summary>
    [Theory, Each(120, 121, 100_000)]
    public void AfterAPauseOfTwoTurnsItOpensNothing(int minutes) => Assert.Null(FindAfter(TimeSpan.FromMinutes(minutes)));

    [Fact]
    public void AfterTwoTurnsOneByOneItOpensNothing() => Assert.Null(FindAfter(TimeSpan.FromMinutes(60), TimeSpan.FromMinutes(60)));

    private static bool? FindAfter(params TimeSpan[] steps)
    {
        Clock clock = new();
        using TicketKeys keys = new(s_lifetime, clock);
        byte[] name = new byte[TicketKeys.NameBytes];
        byte[] cipherKey = new byte[TicketKeys.KeyBytes];
        byte[] macKey = new byte[TicketKeys.KeyBytes];
        keys.GetCurrent(name, cipherKey, macKey);
        bool? result = null;
        foreach (TimeSpan step in steps)
        {
            clock.Now += step;
            byte[] foundCipherKey = new byte[TicketKeys.KeyBytes];
            byte[] foundMacKey = new byte[TicketKeys.KeyBytes];
            result = keys.Find(name, foundCipherKey, foundMacKey);
            if (result is not null)
            {
                Assert.Equal(cipherKey, foundCipherKey);
                Assert.Equal(macKey, foundMacKey);
            }
        }

        return result;
    }
}
