namespace Ioxide.Docs.Tests;

/// <summary>A C# block of a document as the program that a reader makes of it.</summary>
/// <remarks>
/// Without a comment before it, a block is a whole program. <c>&lt;!-- compile: CONTEXT --&gt;</c> names what stands around it
/// (<see cref="s_contexts"/>); the further lines of the comment are code that the text presumes, such as a declaration. Type declarations may
/// stand in any part: they move behind the statements, and <c>using</c> lines move to the top.
/// </remarks>
internal static class Snippet
{
    private const string Directive = "compile:";

    // What a project of the SDK's web template has without saying so.
    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Net.Http.Json;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private const string ImplicitWebUsings = """
        global using Microsoft.AspNetCore.Builder;
        global using Microsoft.AspNetCore.Hosting;
        global using Microsoft.AspNetCore.Http;
        global using Microsoft.AspNetCore.Routing;
        global using Microsoft.Extensions.Configuration;
        global using Microsoft.Extensions.DependencyInjection;
        global using Microsoft.Extensions.Hosting;
        global using Microsoft.Extensions.Logging;
        """;

    private const string Builder = "var builder = WebApplication.CreateBuilder(args);\n";
    private const string App = Builder + "builder.WebHost.UseIoxide();\nvar app = builder.Build();\n";
    private const string Linux = "[assembly: System.Runtime.Versioning.SupportedOSPlatform(\"linux\")]\n";

    /// <summary>What may stand around a block: the code before and behind it, and whether its project is of the web SDK.</summary>
    private static readonly Dictionary<string, (string Before, string Behind, bool IsWeb)> s_contexts = new()
    {
        // A whole Program.cs of `dotnet new web`, and of `dotnet new console`.
        ["program"] = ("", "", true),
        ["console"] = ("", "", false),

        // A whole program that needs files or servers which a test does not have: it is compiled and not run.
        ["web"] = ("", "", true),

        // Statements of a Program.cs: about the builder, about the application, about both.
        ["builder"] = (Builder, "builder.Build().Run();", true),
        ["app"] = (App, "app.Run();", true),
        ["builder and app"] = (Builder, "app.Run();", true),

        // Statements of a program without ASP.NET that names its platform.
        ["statements"] = (Linux, "", false),
    };

    /// <summary>The source files that a block becomes. Diagnostics of its own lines name the document.</summary>
    /// <exception cref="FormatException">Its comment names no context.</exception>
    internal static string[] Sources(Fence fence)
    {
        string[] directive = (fence.Directive ?? $"{Directive} program").Split('\n', 2);
        string context = directive[0].Replace(Directive, "", StringComparison.Ordinal).Trim();
        if (!directive[0].StartsWith(Directive, StringComparison.Ordinal)
            || !s_contexts.TryGetValue(context, out (string Before, string Behind, bool IsWeb) around))
        {
            throw new FormatException(
                $"{fence.File}:{fence.Line}: the comment before the block is '{directive[0]}'. " +
                $"It may be 'compile: ' and one of: {string.Join(", ", s_contexts.Keys)}.");
        }

        SnippetPart[] parts =
        [
            new(around.Before, "context", 1),
            new(directive.Length > 1 ? directive[1] : "", "comment", 1),
            new(fence.Text, fence.File, fence.Line),
            new(around.Behind, "context", 1),
        ];
        string program = string.Join(
            '\n',
            [
                .. parts.SelectMany(static part => part.Usings),
                .. parts.SelectMany(static part => part.Attributes),
                .. parts.SelectMany(static part => part.Statements),
                .. parts.SelectMany(static part => part.Types),
            ]);
        return [program, around.IsWeb ? $"{ImplicitUsings}\n{ImplicitWebUsings}" : ImplicitUsings];
    }
}
