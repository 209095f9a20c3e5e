using System.Collections.Immutable;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Ioxide.Tests;

/// <summary>What one built assembly refers to, place by place, read from its metadata, its code and its symbols.</summary>
/// <remarks>
/// The symbols say in which file a method stands. So a part of a type counts for the folder that its own file lies in. A constant is copied into
/// the code that uses it, and leaves no trace there.
/// </remarks>
internal sealed class CompiledAssembly : IDisposable
{
    private readonly PEReader _file;
    private readonly MetadataReaderProvider _symbols;
    private readonly MetadataReader _metadata;
    private readonly MetadataReader _debug;
    private readonly Dictionary<TypeDefinitionHandle, string> _fileOfType = [];
    private readonly Dictionary<MethodDefinitionHandle, MethodDefinitionHandle> _bodies = [];
    private readonly string _root;

    internal CompiledAssembly(string name)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string path = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", name, configuration, name));
        Name = name;
        _root = Path.Combine(Repository.Root, "src", name) + "/";
        _file = new PEReader(File.OpenRead(path + ".dll"));
        _symbols = MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(path + ".pdb"));
        _metadata = _file.GetMetadataReader();
        _debug = _symbols.GetMetadataReader();
        foreach (MethodDebugInformationHandle handle in _debug.MethodDebugInformation)
        {
            MethodDefinitionHandle start = _debug.GetMethodDebugInformation(handle).GetStateMachineKickoffMethod();
            if (!start.IsNil)
            {
                _bodies[start] = handle.ToDefinitionHandle();
            }
        }

        foreach (TypeDefinitionHandle handle in _metadata.TypeDefinitions)
        {
            if (HomeOf(handle) is { } home)
            {
                _fileOfType[handle] = home;
            }
        }
    }

    internal string Name { get; }

    /// <summary>The metadata, for those who look for something else in it.</summary>
    internal MetadataReader Metadata => _metadata;

    public void Dispose()
    {
        _symbols.Dispose();
        _file.Dispose();
    }

    /// <summary>The types that were written, and how many fields an object of each has. What a public property keeps is none: it is said there.</summary>
    internal IEnumerable<(string Name, int Count)> FieldCounts()
    {
        foreach (TypeDefinitionHandle handle in _metadata.TypeDefinitions)
        {
            TypeDefinition type = _metadata.GetTypeDefinition(handle);
            string name = _metadata.GetString(type.Name);
            if (!name.Contains('<', StringComparison.Ordinal))
            {
                HashSet<string> kept = [.. type.GetMethods().Select(_metadata.GetMethodDefinition)
                    .Where(static method => (method.Attributes & MethodAttributes.MemberAccessMask) == MethodAttributes.Public)
                    .Select(method => _metadata.GetString(method.Name)).Where(static method => method.StartsWith("get_", StringComparison.Ordinal))
                    .Select(static method => $"<{method[4..]}>k__BackingField")];
                int count = type.GetFields().Select(_metadata.GetFieldDefinition)
                    .Count(field => !field.Attributes.HasFlag(FieldAttributes.Static) && !kept.Contains(_metadata.GetString(field.Name)));
                yield return (name.Split('`')[0], count);
            }
        }
    }

    /// <summary>Every reference from one file of the assembly to another: the file, the file referred to, and the name that is used.</summary>
    internal IEnumerable<(string From, string To, string Name)> References()
    {
        foreach (TypeDefinitionHandle handle in _metadata.TypeDefinitions)
        {
            if (!_fileOfType.TryGetValue(handle, out string? home))
            {
                continue;
            }

            TypeDefinition type = _metadata.GetTypeDefinition(handle);
            var references = new TokenReferences(_metadata);
            references.AddType(type);
            foreach (FieldDefinitionHandle field in type.GetFields())
            {
                FieldDefinition definition = _metadata.GetFieldDefinition(field);
                var ofField = new TokenReferences(_metadata);
                ofField.AddField(definition);
                foreach (var reference in Resolve(FileOfField(handle, definition, home), ofField))
                {
                    yield return reference;
                }
            }

            foreach (MethodDefinitionHandle method in type.GetMethods())
            {
                var ofMethod = new TokenReferences(_metadata);
                MethodDefinition definition = _metadata.GetMethodDefinition(method);
                ofMethod.AddMethod(definition, definition.RelativeVirtualAddress == 0 ? default : Code(definition));
                foreach (var reference in Resolve(FileOf(method) ?? home, ofMethod))
                {
                    yield return reference;
                }
            }

            foreach (var reference in Resolve(home, references))
            {
                yield return reference;
            }
        }
    }

    private BlobReader Code(MethodDefinition method) => _file.GetMethodBody(method.RelativeVirtualAddress).GetILReader();

    private IEnumerable<(string From, string To, string Name)> Resolve(string from, TokenReferences references)
    {
        foreach (TypeDefinitionHandle type in references.Types)
        {
            if (_fileOfType.TryGetValue(type, out string? to) && to != from)
            {
                yield return (from, to, NameOf(type));
            }
        }

        foreach (MethodDefinitionHandle method in references.Methods)
        {
            TypeDefinitionHandle owner = _metadata.GetMethodDefinition(method).GetDeclaringType();
            string? to = FileOf(method) ?? _fileOfType.GetValueOrDefault(owner);
            if (to is not null && to != from)
            {
                yield return (from, to, $"{NameOf(owner)}.{_metadata.GetString(_metadata.GetMethodDefinition(method).Name)}");
            }
        }
    }

    private string NameOf(TypeDefinitionHandle handle) => _metadata.GetString(_metadata.GetTypeDefinition(handle).Name).Split('`')[0];

    /// <summary>The file that bears the type's name where it has several; the one around it for a nested type.</summary>
    private string? HomeOf(TypeDefinitionHandle handle)
    {
        TypeDefinition type = _metadata.GetTypeDefinition(handle);
        if (!type.GetDeclaringType().IsNil)
        {
            return type.GetMethods().Select(FileOf).FirstOrDefault(file => file is not null) ?? HomeOf(type.GetDeclaringType());
        }

        string[] files = [.. type.GetMethods().Select(FileOf).Concat(DocumentsOf(handle)).OfType<string>().Distinct()];
        string plain = NameOf(handle) + ".cs";
        return files.FirstOrDefault(file => Path.GetFileName(file) == plain)
            ?? files.OrderBy(file => Path.GetFileName(file).Length).ThenBy(file => file, StringComparer.Ordinal).FirstOrDefault();
    }

    /// <summary>The files of a type without code, which the compiler notes for this purpose (C# 10, portable PDB "type documents").</summary>
    private IEnumerable<string?> DocumentsOf(TypeDefinitionHandle handle)
    {
        var typeDocuments = new Guid("932E74BC-DBA9-4478-8D46-0F32A7BAB3D3");
        foreach (CustomDebugInformationHandle info in _debug.GetCustomDebugInformation(handle))
        {
            CustomDebugInformation definition = _debug.GetCustomDebugInformation(info);
            if (_debug.GetGuid(definition.Kind) != typeDocuments)
            {
                continue;
            }

            BlobReader blob = _debug.GetBlobReader(definition.Value);
            while (blob.RemainingBytes > 0)
            {
                yield return Relative(MetadataTokens.DocumentHandle(blob.ReadCompressedInteger()));
            }
        }
    }

    private string? FileOf(MethodDefinitionHandle method)
    {
        // The body of an async method or an iterator stands in the state machine's MoveNext.
        if (_bodies.TryGetValue(method, out MethodDefinitionHandle body))
        {
            method = body;
        }

        MethodDebugInformation info = _debug.GetMethodDebugInformation(method);
        return info.Document.IsNil
            ? info.GetSequencePoints().Where(point => !point.Document.IsNil).Select(point => Relative(point.Document)).FirstOrDefault()
            : Relative(info.Document);
    }

    /// <summary>A field of a type in several files: the one whose text declares it.</summary>
    private string FileOfField(TypeDefinitionHandle type, FieldDefinition field, string home)
    {
        string name = _metadata.GetString(field.Name);
        if (name.StartsWith('<'))
        {
            // What the compiler made of a property.
            name = name[1..name.IndexOf('>')];
        }

        IEnumerable<string> files = _metadata.GetTypeDefinition(type).GetMethods().Select(FileOf).OfType<string>().Append(home).Distinct();
        string[] parts = [.. files];
        return parts.Length == 1 || name.Length == 0
            ? home
            : parts.FirstOrDefault(file => File.ReadLines(_root + file).Any(line => Declares(line, name))) ?? home;
    }

    private static bool Declares(string line, string name)
    {
        string text = line.TrimStart();
        int end = text.IndexOfAny(['=', ';', '{', '(']);
        return (text.StartsWith("private", StringComparison.Ordinal) || text.StartsWith("internal", StringComparison.Ordinal)
                || text.StartsWith("public", StringComparison.Ordinal) || text.StartsWith("protected", StringComparison.Ordinal))
            && (end < 0 ? text : text[..end]).TrimEnd().EndsWith(" " + name, StringComparison.Ordinal);
    }

    /// <summary>The path below the project's folder; null for what a generator made.</summary>
    private string? Relative(DocumentHandle handle)
    {
        string path = _debug.GetString(_debug.GetDocument(handle).Name);
        int place = path.LastIndexOf($"/src/{Name}/", StringComparison.Ordinal);
        string? relative = place < 0 ? null : path[(place + Name.Length + 6)..];
        return relative is null || relative.StartsWith("obj/", StringComparison.Ordinal) || !File.Exists(_root + relative) ? null : relative;
    }
}
