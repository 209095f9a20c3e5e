using System.Globalization;
using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary>
/// The same options, drawn by a seed, on a ring, by SslStream in its place, and in stock <c>UseHttps</c>: the same clients get the same
/// answers. IOXIDE_TLS_OPTIONS sets how many sets of options, IOXIDE_TLS_OPTIONS_SEED where they begin. What may differ is in docs/tls.md.
/// </summary>
public partial class OptionsOracleTests
{
    private const int ClientsPerSetup = 12;
    private const int SetupsPerHost = 20;
    private const string NoName = "name ''";

    [Fact]
    public async Task TheRingSslStreamInItsPlaceAndStockAnswerAlike()
    {
        int count = Read("IOXIDE_TLS_OPTIONS", 20);
        int seed = Read("IOXIDE_TLS_OPTIONS_SEED", 1);
        List<string> differences = [];
        int accepted = 0;
        int refused = 0;
        for (int first = 0; first < count; first += SetupsPerHost)
        {
            (int acceptedHere, int refusedHere) = await CompareAsync(seed + first, Math.Min(SetupsPerHost, count - first), differences);
            accepted += acceptedHere;
            refused += refusedHere;
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences:\n{string.Join('\n', differences.Take(20))}");

        // Neither answer alone would prove anything.
        Assert.True(accepted > count, string.Create(CultureInfo.InvariantCulture, $"{accepted} accepted, {refused} refused"));
        Assert.True(refused > count, string.Create(CultureInfo.InvariantCulture, $"{accepted} accepted, {refused} refused"));
    }

    private static async Task<(int Accepted, int Refused)> CompareAsync(int seed, int count, List<string> differences)
    {
        OracleSetup[] setups = [.. Enumerable.Range(seed, count).Select(static seed => new OracleSetup(Spread(seed)))];
        await using OracleHost ring = await OracleHost.StartAsync(setups, static (setup, listen) => setup.Use(listen, isIoxide: true), hasRings: true);
        await using OracleHost fallback = await OracleHost.StartAsync(setups, static (setup, listen) => setup.Use(listen, isIoxide: true), hasRings: false);
        await using OracleHost stock = await OracleHost.StartAsync(setups, static (setup, listen) => setup.Use(listen, isIoxide: false), hasRings: false);
        int accepted = 0;
        int refused = 0;
        for (int index = 0; index < setups.Length; index++)
        {
            Random random = Spread(seed + index);
            for (int number = 0; number < ClientsPerSetup; number++)
            {
                // Without a list of the endpoint's own, the ring and SslStream have different ones.
                bool hasOneList = setups[index].HasOwnSuites;
                OracleClient client = new(random, hasOneList);
                string[] seen = await Task.WhenAll(((OracleHost[])[ring, fallback, stock]).Select(host => client.SendAsync(host.EndPoints[index])));
                if (!IsAlike(seen[0], seen[2], hasOneList) || seen[1] != seen[2])
                {
                    differences.Add(string.Create(
                        CultureInfo.InvariantCulture,
                        $"seed {seed + index}: {setups[index]}\n  {client}\n  ring     {seen[0]}\n  fallback {seen[1]}\n  stock    {seen[2]}"));
                }

                accepted += seen[2] == OracleClient.Refused ? 0 : 1;
                refused += seen[2] == OracleClient.Refused ? 1 : 0;
            }
        }

        return (accepted, refused);
    }

    /// <summary>Whether the ring's answer differs in nothing but what may differ: the suite where there are two lists, the name where Kestrel sets none.</summary>
    private static bool IsAlike(string ring, string stock, bool hasOneList)
    {
        if (!hasOneList)
        {
            ring = Suite().Replace(ring, "suite");
            stock = Suite().Replace(stock, "suite");
        }

        return (stock.Contains(NoName, StringComparison.Ordinal) ? Name().Replace(ring, NoName) : ring) == stock;
    }

    /// <summary>Generators whose seeds follow one another draw alike at first.</summary>
    private static Random Spread(int seed) => new(unchecked(seed * 48_271));

    private static int Read(string variable, int standard)
        => int.Parse(Environment.GetEnvironmentVariable(variable) ?? standard.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);

    [GeneratedRegex("TLS_[A-Z0-9_]+")]
    private static partial Regex Suite();

    [GeneratedRegex("name '[^']*'")]
    private static partial Regex Name();
}
