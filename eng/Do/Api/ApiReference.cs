using System.Net;
using System.Reflection;
using System.Text;
using System.Xml.Linq;
using Ioxide.Do.Checks;

namespace Ioxide.Do.Api;

/// <summary>
/// The API reference: a page per package in <c>artifacts/api</c>, made from the Release build's assemblies and their XML documentation. It fails where a public
/// member has no summary, or a reference of a comment leads nowhere.
/// </summary>
internal static class ApiReference
{
    private const string Folder = "artifacts/api";

    internal static Check Check => new("API reference", static log =>
    {
        string[] packages = [.. Packages.Projects()];
        Directory.CreateDirectory(Folder);
        using var context = new MetadataLoadContext(new PathAssemblyResolver(Assemblies(packages)));
        var faults = new List<string>();
        var pages = new List<(string Package, int Types)>();
        foreach (string package in packages)
        {
            Assembly assembly = context.LoadFromAssemblyPath(Path.GetFullPath(Output(package, "dll")));
            var comments = Comments.Read(Output(package, "xml"));
            Type[] types = [.. assembly.GetExportedTypes().OrderBy(static type => type.FullName, StringComparer.Ordinal)];
            File.WriteAllText(Path.Combine(Folder, $"{package}.html"), Page(package, types, comments));

            // What a constructor makes, its type says.
            faults.AddRange(types.SelectMany(static type => Members(type).Where(static member => member is not ConstructorInfo).Prepend(type)).Select(Signature.IdOf)
                .Where(id => !comments.Has(id)).Select(id => $"{package}: {id} has no summary."));
            faults.AddRange(comments.Broken.Select(reference => $"{package}: {reference} leads nowhere."));
            pages.Add((package, types.Length));
        }

        File.WriteAllText(Path.Combine(Folder, "index.html"), Html("Ioxide: API reference", string.Concat(pages.Select(static page =>
            $"<p><a href=\"{page.Package}.html\">{page.Package}</a>: {page.Types} types</p>\n"))));
        faults.ForEach(log.Say);
        return Task.FromResult(faults.Count == 0 ? 0 : 1);
    });

    /// <summary>Those that are declared here, but for what every record or enumeration has.</summary>
    private static IEnumerable<MemberInfo> Members(Type type)
    {
        const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        IEnumerable<MemberInfo> members = type.GetMembers(Declared).Where(Signature.IsVisible);
        return type.BaseType?.FullName == "System.MulticastDelegate" ? [] : type.IsEnum ? members.Where(static member => member.Name != "value__") : members.Where(member => !IsOfCompiler(type, member));
    }

    private static bool IsOfCompiler(Type type, MemberInfo member)
        => member.CustomAttributes.Any(static attribute => attribute.AttributeType.Name == "CompilerGeneratedAttribute")
            || (member is MethodBase { IsSpecialName: true } && !member.Name.StartsWith("op_", StringComparison.Ordinal) && member is not ConstructorInfo)
            || (member is ConstructorInfo { IsStatic: true })
            || (member is ConstructorInfo constructor && constructor.GetParameters().Length == 0 && !type.IsAbstract && type.GetConstructors().Length == 1)
            || (member is MethodInfo method && IsOverride(method))
            || member is Type;

    private static bool IsOverride(MethodInfo method)
        => method.IsVirtual && (method.Attributes & MethodAttributes.NewSlot) == 0;

    private static string Page(string package, Type[] types, Comments comments)
    {
        var text = new StringBuilder($"<h1>{package}</h1>\n<nav>\n");
        foreach (Type type in types)
        {
            text.Append($"<a href=\"#{Text(Signature.IdOf(type))}\">{Text(Signature.Name(type))}</a>\n");
        }

        text.Append("</nav>\n");
        foreach (Type type in types)
        {
            text.Append($"<section id=\"{Text(Signature.IdOf(type))}\">\n<h2>{Text(Signature.Of(type))}</h2>\n{comments.Html(Signature.IdOf(type))}");
            foreach (MemberInfo member in Members(type))
            {
                string id = Signature.IdOf(member);
                text.Append($"<h3 id=\"{Text(id)}\"><code>{Text(Signature.Of(member))}</code></h3>\n{comments.Html(id)}");
            }

            text.Append("</section>\n");
        }

        return Html($"{package}: API reference", text.ToString());
    }

    private static string Html(string title, string body) => $$"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{Text(title)}}</title>
        <style>
        :root { color-scheme: light dark; }
        body { margin: 0 auto; padding: 1rem 1.25rem 3rem; max-width: 60rem; font: 15px/1.5 system-ui, sans-serif; }
        nav a { display: inline-block; margin-right: 1em; } h2 { margin-top: 2.5rem; font-size: 1.2rem; } h3 { margin: 1.2rem 0 .2rem; font-size: 1rem; font-weight: 500; }
        code { overflow-wrap: anywhere; } dt { font-weight: 600; } dd { margin: 0 0 .3rem 1.5rem; }
        </style>
        </head>
        <body>
        {{body}}</body>
        </html>

        """;

    private static string Output(string package, string end) => $"artifacts/bin/{package}/release/{package}.{end}";

    /// <summary>Those of the packages, and of the shared frameworks that this program runs on.</summary>
    private static IEnumerable<string> Assemblies(string[] packages)
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!; // Assemblies of the runtime are files.
        string web = Path.Combine(runtime, "../../Microsoft.AspNetCore.App", Path.GetFileName(runtime));
        return packages.Select(static package => Path.GetFullPath(Output(package, "dll")))
            .Concat(Directory.EnumerateFiles(runtime, "*.dll")).Concat(Directory.EnumerateFiles(web, "*.dll"))
            .DistinctBy(Path.GetFileName);
    }

    private static string Text(string text) => WebUtility.HtmlEncode(text);

    /// <summary>The comments of one assembly, by the members' identifiers (ECMA-334, annex D).</summary>
    private sealed class Comments
    {
        private readonly Dictionary<string, XElement> _members;

        private Comments(Dictionary<string, XElement> members)
        {
            _members = members;
            Broken = [.. members.Values.SelectMany(static member => member.Descendants().Attributes("cref"))
                .Select(static reference => reference.Value).Where(static value => value.StartsWith("!:", StringComparison.Ordinal)).Distinct()];
        }

        internal IReadOnlyList<string> Broken { get; }

        internal static Comments Read(string file) => new(XDocument.Load(file).Descendants("member")
            .ToDictionary(static member => member.Attribute("name")!.Value, StringComparer.Ordinal)); // The compiler writes the name.

        internal bool Has(string id) => _members.TryGetValue(id, out XElement? member)
            && (member.Element("inheritdoc") is not null || !string.IsNullOrWhiteSpace(member.Element("summary")?.Value));

        internal string Html(string id)
        {
            if (!_members.TryGetValue(id, out XElement? member))
            {
                return "";
            }

            var text = new StringBuilder();
            text.Append(member.Element("inheritdoc") is { } inherited ? $"<p>As {Text(inherited.Attribute("cref")?.Value is { } from ? Reference(from) : "the base declares it")}.</p>\n" : "");
            text.Append(member.Element("summary") is { } summary ? $"<p>{Inline(summary)}</p>\n" : "");
            XElement[] named = [.. member.Elements("typeparam").Concat(member.Elements("param"))];
            if (named.Length > 0)
            {
                text.Append($"<dl>\n{string.Concat(named.Select(static each => $"<dt>{Text(each.Attribute("name")?.Value ?? "")}</dt><dd>{Inline(each)}</dd>\n"))}</dl>\n");
            }

            text.Append(member.Element("returns") is { } returned ? $"<p>Returns: {Inline(returned)}</p>\n" : "");
            text.Append(string.Concat(member.Elements("exception").Select(static thrown
                => $"<p>Throws <code>{Text(Reference(thrown.Attribute("cref")?.Value ?? ""))}</code>: {Inline(thrown)}</p>\n")));
            text.Append(member.Element("remarks") is { } remarks ? $"<p>{Inline(remarks)}</p>\n" : "");
            return text.ToString();
        }

        private static string Inline(XElement element) => string.Concat(element.Nodes().Select(static node => node switch
        {
            XText text => Text(text.Value),
            XElement { Name.LocalName: "para" } para => $"</p><p>{Inline(para)}",
            XElement { Name.LocalName: "see" } see => $"<code>{Text(Reference(see.Attribute("cref")?.Value ?? see.Attribute("langword")?.Value ?? ""))}</code>",
            XElement { Name.LocalName: "paramref" or "typeparamref" } named => $"<code>{Text(named.Attribute("name")?.Value ?? "")}</code>",
            XElement { Name.LocalName: "c" or "code" } code => $"<code>{Text(code.Value)}</code>",
            XElement other => Inline(other),
            _ => "",
        }));

        /// <summary>An identifier as a reader names it: the last name, with that of its type.</summary>
        private static string Reference(string id)
        {
            string name = id.Contains(':', StringComparison.Ordinal) ? id[2..] : id;
            int arguments = name.IndexOf('(', StringComparison.Ordinal);
            string[] parts = (arguments < 0 ? name : name[..arguments]).Split('.');
            bool isMember = id.Length > 1 && id[0] is 'M' or 'P' or 'F' or 'E';
            return string.Join('.', parts.TakeLast(isMember ? 2 : 1)).Split('`')[0];
        }
    }
}
