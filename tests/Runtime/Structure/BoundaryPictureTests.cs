using System.Globalization;
using System.Text;

namespace Ioxide.Tests;

/// <summary>
/// The picture of the boundary in ARCHITECTURE.md: applications above, the packages, the runtime below, and how many of the runtime's members each package
/// uses beyond its public surface. The counts are those of the seam lists, which <see cref="SeamTests"/> reads from the built assemblies.
/// </summary>
[Once]
public class BoundaryPictureTests
{
    private const int Width = 900;
    private const int BoxWidth = 132;
    private const int BoxHeight = 62;
    private const int Gap = 14;

    /// <summary>Each package and what it is to an application.</summary>
    private static readonly (string Package, string Role)[] s_packages =
    [
        ("Ioxide.AspNetCore", "UseIoxide()"), ("Ioxide.Http2", "UseIoxideHttp2()"), ("Ioxide.Tls", "UseIoxideTls()"), ("Ioxide.Files", "MapIoxideFiles()"),
        ("Ioxide.Pg", "AddIoxidePg()"),
    ];

    [Fact]
    public void ThePictureShowsTheSeamsAsTheyAre()
    {
        string expected = Draw();
        Assert.Equal(expected, Approval.Read(Path.Combine(Repository.Root, "docs/images/boundary.svg"), expected));
    }

    private static string Draw()
    {
        var svg = new StringBuilder();
        svg.Append(CultureInfo.InvariantCulture, $$"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{Width}} 400" role="img" aria-label="The boundary between application and runtime">
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1c1917; } .soft { font-size: 12px; fill: #57534e; } .name { font-weight: 600; } .package { font-size: 12px; }
            .middle { text-anchor: middle; } rect { fill: #fff; stroke: #a8a29e; } .application { fill: #ecfdf5; } .runtime { fill: #fff7ed; } .stranger { stroke-dasharray: 4 3; }
            path { fill: none; stroke: #57534e; } .border { stroke: #c2410c; stroke-width: 2; stroke-dasharray: 8 5; } .head { fill: #57534e; stroke: none; }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0eeea; } .soft { fill: #b1aba3; } rect { fill: #1c1a18; stroke: #57534e; } .application { fill: #062e22; } .runtime { fill: #33200c; }
            path { stroke: #b1aba3; } .border { stroke: #fb923c; } .head { fill: #b1aba3; } }
            </style>
            <rect class="application" x="10" y="10" width="{{Width - 20}}" height="50" rx="6"/>
            <text class="name" x="24" y="31">Application</text>
            <text class="soft" x="24" y="49">handlers, continuations, token callbacks, events, logs: code that the runtime does not know</text>
            <path class="border" d="M10 104H{{Width - 10}}"/>
            <path d="M70 146V72"/><path class="head" d="M70 64l-5 10h10z"/><text class="soft" x="82" y="94">EnterApplication(): a completion resumes a handler</text>
            <path d="M500 62V136"/><path class="head" d="M500 146l-5 -10h10z"/><text class="soft" x="512" y="94">EnterRuntime(): a handler calls, and may block in the call</text>

            """);
        for (int index = 0; index <= s_packages.Length; index++)
        {
            int x = 10 + (index * (BoxWidth + Gap + 3));
            (string package, string role) = index < s_packages.Length ? s_packages[index] : ("your server", "public surface");
            string style = index < s_packages.Length ? "" : " class=\"stranger\"";
            string count = index < s_packages.Length ? $"{CountOf(package)} internals" : "0 internals";
            svg.Append(CultureInfo.InvariantCulture, $$"""
                <rect{{style}} x="{{x}}" y="150" width="{{BoxWidth}}" height="{{BoxHeight}}" rx="6"/>
                <text class="name package middle" x="{{x + (BoxWidth / 2)}}" y="176">{{package}}</text><text class="soft middle" x="{{x + (BoxWidth / 2)}}" y="197">{{role}}</text>
                <path d="M{{x + (BoxWidth / 2)}} {{150 + BoxHeight}}V256"/><path class="head" d="M{{x + (BoxWidth / 2)}} 266l-5 -10h10z"/>
                <text class="soft" x="{{x + (BoxWidth / 2) + 8}}" y="242">{{count}}</text>

                """);
        }

        svg.Append(CultureInfo.InvariantCulture, $$"""
            <rect class="runtime" x="10" y="270" width="{{Width - 20}}" height="62" rx="6"/>
            <text class="name" x="24" y="294">Ioxide, the runtime</text>
            <text class="soft" x="24" y="316">Boundary + Group + Sockets + Files + Diagnostics + Checks, on Reactor, on Memory, on Kernel: each reactor's state belongs to its thread</text>
            <path d="M450 332V352"/><path class="head" d="M450 362l-5 -10h10z"/>
            <text class="middle" x="450" y="384">Linux: io_uring_setup, io_uring_enter, io_uring_register; or epoll</text>
            </svg>

            """);
        return svg.ToString();
    }

    private static int CountOf(string package)
        => File.ReadLines(Path.Combine(Repository.Root, "tests/Runtime/Structure/Seams", $"{package}.approved.txt"))
            .Count(static line => line.StartsWith("Ioxide: ", StringComparison.Ordinal));
}
