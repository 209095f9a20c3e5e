using System.Net;
using Ioxide.LoadHost;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.FileProviders;

namespace Ioxide.Files.Tests;

/// <summary>
/// Two thousand generated requests are answered like the framework's static files, like its static assets and like nginx. Where an answer is
/// another, a line of <see cref="Difference"/> must say why, by a section of RFC 9110; a line that nothing needs fails too.
/// </summary>
public class DifferentialTests
{
    private const int RequestCount = 2000;
    private const int Seed = 20_261;

    [Fact]
    public async Task TheRingAnswersAsSocketsDo()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer sockets = await FileServer.StartAsync(Way.Sockets, folder);
        await using FileServer ring = await FileServer.StartAsync(Way.Ring, folder);
        await CompareAsync(sockets.EndPoint, ring.EndPoint, [], static request => request);
    }

    [Fact]
    public async Task AnswersAreThoseOfTheFrameworksStaticFiles()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer ours = await FileServer.StartAsync(Way.ShortCircuit, folder);
        await using FileServer theirs = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.Sockets,
            Before = app => app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(folder.Path) }),
        });

        // They know no codings.
        await CompareAsync(ours.EndPoint, theirs.EndPoint, Difference.OfStaticFiles(), static request => request with
        {
            AcceptEncoding = null,
            Path = request.Path == "/coded.css" ? "/plain.txt" : request.Path,
        });
    }

    [Fact]
    public async Task AnswersAreThoseOfTheFrameworksStaticAssets()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer ours = await FileServer.StartAsync(Way.ShortCircuit, folder);
        string manifest = StaticAssetsManifest.Write(folder.Path);
        try
        {
            await using FileServer theirs = await FileServer.StartAsync(new FileServerSetup
            {
                Way = Way.Sockets,
                Endpoints = app =>
                {
                    app.Environment.WebRootPath = folder.Path;
                    app.Environment.WebRootFileProvider = new PhysicalFileProvider(folder.Path);
                    app.MapStaticAssets(manifest);
                },
            });
            await CompareAsync(ours.EndPoint, theirs.EndPoint, Difference.OfStaticAssets(), static request => request);
        }
        finally
        {
            File.Delete(manifest);
        }
    }

    [Fact]
    public async Task AnswersAreThoseOfNginx()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer ours = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using NginxServer theirs = await NginxServer.StartAsync(folder.Path);
        await CompareAsync(ours.EndPoint, theirs.EndPoint, Difference.OfNginx(), static request => request);
    }

    private static TestFolder MakeFolder() => new TestFolder().With("coded.css", Payload.Of(1000)).With("coded.css.gz", Payload.Of(600))
        .With("plain.txt", Payload.Of(1000)).With("folder/plain.txt", Payload.Of(999));

    private static async Task CompareAsync(
        EndPoint ours, EndPoint theirs, IReadOnlyList<Difference> differences, Func<GeneratedRequest, GeneratedRequest> adapt)
    {
        using var our = new ComparedServer(ours);
        using var their = new ComparedServer(theirs);
        List<string> unexplained = [];
        foreach (GeneratedRequest request in GeneratedRequest.Many(Seed, RequestCount).Select(adapt))
        {
            RawResponse ourAnswer = await our.AskAsync(request);
            RawResponse theirAnswer = await their.AskAsync(request);
            string ourText = ComparedServer.Describe(ourAnswer);
            string theirText = ComparedServer.Describe(theirAnswer);
            if (ourText == theirText)
            {
                continue;
            }

            if (differences.FirstOrDefault(difference => difference.Covers(request, ourAnswer, theirAnswer)) is { } known)
            {
                known.Count++;
            }
            else
            {
                unexplained.Add($"{request}\n  ours:   {ourText}\n  theirs: {theirText}");
            }
        }

        Assert.True(unexplained.Count == 0, $"{unexplained.Count} differences, seed {Seed}:\n{string.Join('\n', unexplained.DistinctBy(static text => text.Split('\n')[1..].Aggregate((a, b) => a + b)).Take(40))}");
        Assert.All(differences, static difference => Assert.True(difference.Count > 0, $"No request needs: {difference.What}."));
    }
}
